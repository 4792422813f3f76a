import type { EventEmitter } from 'node:events'
import { type Clock, setTimer } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import { TokenBucket } from '../../common/rate-limit.ts'

/** Bad messages within one second that end the connection. */
const MAX_BAD_PER_SECOND = 10
/** Maximum length of a stall after which an authenticated peer can deliver all delayed audio at once (s). */
const STALL_S = 120
/** A longer gap between two checks means that this process was suspended; only this much of it counts as quiet (ms). */
const LONGEST_LOOK_MS = 1_000

/** Reasons for which the server closes a socket, on every channel; channels add their own. */
export type CommonCause = 'going-away' | 'protocol' | 'bad-messages' | 'flood' | 'too-large' | 'failed'

const BINARY = { binary: true }
const TEXT = { binary: false }

/** A connection as its leg uses it: a `WebSocket`, or the same over another protocol. */
export interface LegTransport extends Pick<EventEmitter, 'on' | 'once'> {
  readonly bufferedAmount: number
  send(message: string | Buffer, options: { binary: boolean }): void
  ping(): void
  close(code: number, reason: string): void
  terminate(): void
}

/** The close code of each cause. */
export type CloseCodes<C extends string> = Readonly<
  Record<C | CommonCause, { code: number; meaning: string }>
>

/** Receives what arrives: first the code that admits the peer, then the leg. */
export interface SocketListener<C extends string> {
  /**
   * Receives one message within the limits; the bytes are borrowed for the call. Returns the fault of one that it cannot
   * read. An error thrown here ends the connection.
   */
  message(data: Buffer, isBinary: boolean, now: number): string | undefined
  /** The peer has disconnected, was lost, or was disconnected for `cause`; called once, as the last event. */
  closed(reason: EndReason, cause?: C | CommonCause): void
  /** The peer violated the protocol, or `err` was thrown on our side. Called for the first fault only. */
  fault(fault: string, err?: unknown): void
}

/** Counters of a socket. */
export interface SocketCounters {
  messagesIn: number
  badMessages: number
  floodDropped: number
}

export interface SocketLimits {
  /** Maximum sustained rate of messages per second. */
  readonly messagesPerSecond: number
  /** Burst above that rate for unauthenticated peers; a larger one ends the connection. Pings always use this limit. */
  readonly messageBurst: number
  /** Time without data after which the peer is pinged, and after which it is lost (ms). */
  readonly pingAfterMs: number
  readonly lostAfterMs: number
  /** Unsent bytes above which the socket is congested, and above which the peer is lost. */
  readonly congestedBytes: number
  readonly maxUnsentBytes: number
  /** Time from our close frame until the connection is terminated (ms). */
  readonly closeWithinMs: number
}

/** Messages of one kind. */
export interface AcceptedFrames {
  readonly maxBytes: number
  /** Continuous, so that a stall of the network delays many of them. */
  readonly isAudio: boolean
}

/** Code with which the peer ends the call; after any other, it can reconnect. A page that is left or reloaded sends 1001. */
const HUNG_UP = 1000

export interface GuardedSocketOptions<C extends string, N extends SocketCounters> {
  readonly clock: Clock
  readonly counters: N
  readonly limits: SocketLimits
  readonly codes: CloseCodes<C>
  /** The limits of text and binary messages, or the cause for which one of that kind closes the connection. */
  readonly text: AcceptedFrames | C
  readonly binary: AcceptedFrames | C
  /** Kind of the peer, for errors: `carrier` or `page`. */
  readonly peer: string
}

/**
 * The socket of a leg, with its limits and its life: sizes and rates are checked before anything is parsed, errors of the
 * listener are contained, a peer that is quiet or does not read is lost, and closing terminates the connection if the peer
 * does not respond. The owner attaches a listener in the tick in which the socket arrives, because its first messages can
 * follow at once, and closes the socket.
 */
export class GuardedSocket<C extends string, N extends SocketCounters = SocketCounters> {
  readonly counters: N
  #listener: SocketListener<C> | undefined
  readonly #transport: LegTransport
  readonly #options: GuardedSocketOptions<C, N>
  /** Time of the last sign of life from the peer. */
  #heardAt: number
  /** Time of the last `watch`, and the quiet time counted until then. */
  #lookedAt: number
  #quietMs = 0
  #pingedAt: number
  /** For unauthenticated peers, and for messages that stalls do not delay. */
  readonly #rate: TokenBucket
  /** For the audio of authenticated peers. */
  #audioRate: TokenBucket | undefined
  readonly #closed = Promise.withResolvers<void>()
  #deadline: Disposable | undefined
  #closing = false
  #gone = false
  #faulty = false
  #badSince = Number.NEGATIVE_INFINITY
  #bad = 0

  constructor(transport: LegTransport, options: GuardedSocketOptions<C, N>) {
    const { clock, counters, limits } = options
    this.#transport = transport
    this.#options = options
    this.counters = counters
    const now = clock.now()
    this.#heardAt = now
    this.#lookedAt = now
    this.#pingedAt = now
    this.#rate = new TokenBucket(limits.messagesPerSecond, limits.messageBurst, now)
    transport.on('message', (data: Buffer, isBinary: boolean) => this.#onMessage(data, isBinary))
    transport.on('ping', () => this.#onControl())
    transport.on('pong', () => this.#onControl())
    transport.on('error', (error: Error & { code?: string }) => this.#onError(error))
    transport.on('close', (code: number) => this.#onClose(code))
  }

  /** Passes all further events to `listener`, and none to an earlier one. */
  attach(listener: SocketListener<C>): void {
    this.#listener = listener
  }

  /** Further events have no listener. */
  detach(): void {
    this.#listener = undefined
  }

  /** The peer is authenticated: audio delayed by a stall is accepted in full. */
  trust(): void {
    const { clock, limits } = this.#options
    const { messagesPerSecond, messageBurst } = limits
    this.#audioRate ??= new TokenBucket(
      messagesPerSecond,
      messageBurst + messagesPerSecond * STALL_S,
      clock.now(),
    )
  }

  /** Sends text as a text frame and bytes as a binary frame, unless the socket is closing; it owns the bytes from then on. */
  send(message: string | Buffer): void {
    if (this.#closing) return
    this.#transport.send(message, typeof message === 'string' ? TEXT : BINARY)
    if (this.#transport.bufferedAmount > this.#options.limits.maxUnsentBytes)
      this.#lose('LEG_LOST', `the ${this.#options.peer} does not read`)
  }

  /** True while more bytes wait to be sent than `congestedBytes`. */
  get congested(): boolean {
    return this.#transport.bufferedAmount > this.#options.limits.congestedBytes
  }

  /**
   * Pings a quiet peer, and loses one that is quiet for too long; call it a few times a second. Time during which this
   * process was suspended does not count in full: pending network input is read first.
   */
  watch(now: number): void {
    if (this.#closing) return
    const { pingAfterMs, lostAfterMs } = this.#options.limits
    this.#quietMs += Math.min(now - Math.max(this.#lookedAt, this.#heardAt), LONGEST_LOOK_MS)
    this.#lookedAt = now
    if (this.#quietMs >= lostAfterMs)
      this.#lose('LEG_SILENT', `no data received for ${Math.round(this.#quietMs / 1_000)} s`)
    else if (this.#quietMs >= pingAfterMs && now - this.#pingedAt >= pingAfterMs) {
      this.#pingedAt = now
      this.#transport.ping()
    }
  }

  /** Closes with the code of `cause`. Idempotent: every call awaits the first. */
  close(cause: C | CommonCause): Promise<void> {
    if (!this.#closing) {
      this.#closing = true
      this.#transport.close(this.#options.codes[cause].code, cause)
      this.#armDeadline()
    }
    return this.#closed.promise
  }

  /**
   * The peer broke the protocol: notifies the listener and closes with the code of `cause`. `retryable`: it can
   * reconnect.
   */
  fail(cause: C | CommonCause, retryable = false): void {
    this.note(cause)
    const error = new BridgeError('LEG_PROTOCOL', this.#options.codes[cause].meaning, { retryable })
    this.#tellClosed({ kind: 'failed', error }, cause)
    void this.close(cause)
  }

  /** Reports a fault, once per connection. */
  note(fault: string, err?: unknown): void {
    if (this.#faulty) return
    this.#faulty = true
    this.#listener?.fault(fault, err)
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    if (this.#closing) return
    const now = this.#hear()
    this.counters.messagesIn++
    const accepted = isBinary ? this.#options.binary : this.#options.text
    if (typeof accepted === 'string') this.fail(accepted)
    else if (data.length > accepted.maxBytes) this.fail('too-large')
    else if (this.#admit(now, accepted.isAudio)) this.#read(data, isBinary, now)
  }

  #read(data: Buffer, isBinary: boolean, now: number): void {
    try {
      const fault = this.#listener?.message(data, isBinary, now)
      if (fault !== undefined) this.#countBad(fault, now)
    } catch (error) {
      this.#crash(error)
    }
  }

  #onControl(): void {
    if (!this.#closing) this.#admit(this.#hear(), false)
  }

  #hear(): number {
    this.#heardAt = this.#options.clock.now()
    this.#quietMs = 0
    return this.#heardAt
  }

  #admit(now: number, audio: boolean): boolean {
    const held = audio ? this.#audioRate : undefined
    if ((held ?? this.#rate).take(now) >= 0) return true
    this.counters.floodDropped++
    // This much audio from an authenticated peer is possibly caused by the network: it can reconnect.
    this.fail('flood', held !== undefined)
    return false
  }

  #countBad(fault: string, now: number): void {
    this.counters.badMessages++
    this.note(`bad ${fault}`)
    if (now - this.#badSince > 1_000) {
      this.#badSince = now
      this.#bad = 0
    }
    if (++this.#bad >= MAX_BAD_PER_SECOND) this.fail('bad-messages')
  }

  #onError(error: Error & { code?: string }): void {
    if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') this.fail('too-large')
    else if (error.code === 'WS_ERR_INVALID_UTF8') this.fail('bad-messages')
    else if (error.code?.startsWith('WS_ERR_')) this.fail('protocol')
    else this.#tellClosed(lost(error.message, error))
    this.#armDeadline()
  }

  #onClose(code: number): void {
    this.#closing = true
    this.#gone = true
    this.#deadline?.[Symbol.dispose]()
    this.#tellClosed(code === HUNG_UP ? { kind: 'hangup', by: 'remote' } : lost(`closed with code ${code}`))
    this.#closed.resolve()
  }

  /** Terminates the connection without a close frame; the peer can reconnect. */
  #lose(code: 'LEG_SILENT' | 'LEG_LOST', text: string): void {
    this.#tellClosed({ kind: 'failed', error: new BridgeError(code, text, { retryable: true }) })
    this.#closing = true
    this.#transport.terminate()
  }

  #tellClosed(reason: EndReason, cause?: C | CommonCause): void {
    const listener = this.#listener
    this.#listener = undefined
    listener?.closed(reason, cause)
  }

  #armDeadline(): void {
    if (this.#gone) return
    const { clock, limits } = this.#options
    this.#deadline ??= setTimer(clock, limits.closeWithinMs, () => this.#transport.terminate())
  }

  /** An error thrown by a listener ends only this connection. */
  #crash(cause: unknown): void {
    this.note('internal', cause)
    const error =
      cause instanceof BridgeError ? cause : new BridgeError('LEG_LOST', 'internal error', { cause })
    this.#tellClosed({ kind: 'failed', error }, 'failed')
    void this.close('failed')
  }
}

function lost(message: string, cause?: unknown): EndReason {
  return { kind: 'failed', error: new BridgeError('LEG_LOST', message, { retryable: true, cause }) }
}
