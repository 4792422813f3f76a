import type { EventEmitter } from 'node:events'
import { type Clock, setTimer } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import { TokenBucket } from '../../common/rate-limit.ts'
import { type DirectSocket, frameOf, passesDirectly, receiveDirectly } from './direct-frames.ts'

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

/** Receives the events of a connection; subclasses add methods for messages. */
export interface LegSocketListener<C extends string> {
  /** The peer has disconnected, or was disconnected for `cause`; called once, as the last event. */
  closed(reason: EndReason, cause?: C | CommonCause): void
  /** The peer violated the protocol, or `err` was thrown on our side. Called for the first fault only. */
  fault(fault: string, err?: unknown): void
}

/** Counters of a socket. */
export interface LegSocketCounters {
  messagesIn: number
  badMessages: number
  floodDropped: number
}

export interface LegSocketOptions<C extends string, N extends LegSocketCounters> {
  readonly clock: Clock
  readonly counters: N
  readonly codes: CloseCodes<C>
  /** Codes with which the peer ends the call normally. */
  readonly leftCodes: readonly number[]
  /** Maximum sustained rate of messages per second. */
  readonly messagesPerSecond: number
  /** Burst above that rate for unauthenticated peers; a larger one ends the connection. Pings always use this limit. */
  readonly messageBurst: number
  /** Time from our close frame until the connection is terminated (ms). */
  readonly closeWithinMs: number
}

/**
 * The socket of a leg, with its limits: rates are checked before anything is parsed, errors of a listener are
 * contained, and closing terminates the connection if the peer does not respond. The owner attaches a listener in the tick
 * in which the socket arrives, and closes the socket.
 */
export abstract class LegSocket<
  C extends string,
  N extends LegSocketCounters,
  L extends LegSocketListener<C>,
> {
  readonly counters: N
  #listener: L | undefined
  #heardAt: number
  /** Time of the last `quietMs` call, and the quiet time counted until then. */
  #lookedAt: number
  #quietMs = 0
  readonly #socket: LegTransport
  readonly #options: LegSocketOptions<C, N>
  /** For unauthenticated peers, and for messages that stalls do not delay. */
  readonly #rate: TokenBucket
  /** For the audio of authenticated peers. */
  #audioRate: TokenBucket | undefined
  readonly #closed = Promise.withResolvers<void>()
  #deadline: Disposable | undefined
  #closing = false
  #gone = false
  /** The socket, if messages of audio bypass `ws`. */
  #direct: DirectSocket | undefined
  #faulty = false
  #badSince = Number.NEGATIVE_INFINITY
  #bad = 0

  constructor(socket: LegTransport, options: LegSocketOptions<C, N>) {
    const { clock, counters, messagesPerSecond, messageBurst } = options
    this.#socket = socket
    this.#options = options
    this.counters = counters
    const now = clock.now()
    this.#heardAt = now
    this.#lookedAt = now
    this.#rate = new TokenBucket(messagesPerSecond, messageBurst, now)
  }

  /** Receives from now on. Call it once, at once: a socket's first messages have possibly arrived already. */
  start(): void {
    const socket = this.#socket
    if (passesDirectly(socket)) {
      this.#direct = socket
      receiveDirectly(socket)
    }
    socket.on('message', (data: Buffer, isBinary: boolean) => this.#onMessage(data, isBinary))
    socket.on('ping', () => this.#onControl())
    socket.on('pong', () => this.#onControl())
    socket.on('error', (error: Error & { code?: string }) => this.#onError(error))
    socket.on('close', (code: number) => this.#onClose(code))
  }

  /** Returns the reason to reject a message by size and kind, before it is parsed. */
  protected abstract refuses(data: Buffer, isBinary: boolean): C | CommonCause | undefined

  /**
   * Passes one message to the listener; returns the fault of an unreadable one. An error thrown here ends the
   * connection.
   */
  protected abstract deliver(data: Buffer, isBinary: boolean, now: number): string | undefined

  /** Passes all further events to `listener`, and none to an earlier one. */
  attach(listener: L): void {
    this.#listener = listener
  }

  /** Further events have no listener. */
  detach(): void {
    this.#listener = undefined
  }

  /** The attached listener; undefined also after its `closed`. */
  protected get listener(): L | undefined {
    return this.#listener
  }

  /** Last sign of life from the peer (clock ms). */
  get heardAt(): number {
    return this.#heardAt
  }

  /** True for messages of the continuous kind that a stall delays. */
  protected abstract isAudio(isBinary: boolean): boolean

  /** The peer is authenticated: audio delayed by a stall is accepted in full. */
  trust(): void {
    const { clock, messagesPerSecond, messageBurst } = this.#options
    this.#audioRate ??= new TokenBucket(
      messagesPerSecond,
      messageBurst + messagesPerSecond * STALL_S,
      clock.now(),
    )
  }

  /**
   * Returns the time without messages at `now` (ms); call it a few times a second. Time during which this process was
   * suspended does not count in full: pending network input is read first.
   */
  quietMs(now: number): number {
    this.#quietMs += Math.min(now - Math.max(this.#lookedAt, this.#heardAt), LONGEST_LOOK_MS)
    this.#lookedAt = now
    return this.#quietMs
  }

  /** Bytes queued and not yet sent to the network. */
  get unsentBytes(): number {
    return this.#socket.bufferedAmount
  }

  /** False once the socket is closed or closing; `send` has no effect then. */
  get open(): boolean {
    return !this.#closing
  }

  /** Sends one message, as a binary frame or as text; the socket owns the bytes from then on. */
  send(message: string | Buffer, binary = typeof message !== 'string'): void {
    if (this.#closing) return
    const direct = this.#direct
    const frame = direct && typeof message !== 'string' ? frameOf(direct, message, binary) : undefined
    if (frame) direct!._socket.write(frame)
    else this.#socket.send(message, binary ? BINARY : TEXT)
  }

  ping(): void {
    if (!this.#closing) this.#socket.ping()
  }

  /** Closes with the code of `cause`. Idempotent: every call awaits the first. */
  close(cause: C | CommonCause): Promise<void> {
    if (!this.#closing) {
      this.#closing = true
      this.#socket.close(this.#options.codes[cause].code, cause)
      this.#armDeadline()
    }
    return this.#closed.promise
  }

  /** Terminates the connection without a close frame. */
  terminate(): void {
    this.#closing = true
    this.#socket.terminate()
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
    const refused = this.refuses(data, isBinary)
    if (refused !== undefined) this.fail(refused)
    else if (this.#admit(now, this.isAudio(isBinary))) this.#read(data, isBinary, now)
  }

  #read(data: Buffer, isBinary: boolean, now: number): void {
    try {
      const fault = this.deliver(data, isBinary, now)
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
    const left = this.#options.leftCodes.includes(code)
    this.#tellClosed(left ? { kind: 'hangup', by: 'remote' } : lost(`closed with code ${code}`))
    this.#closed.resolve()
  }

  #tellClosed(reason: EndReason, cause?: C | CommonCause): void {
    const listener = this.#listener
    this.#listener = undefined
    listener?.closed(reason, cause)
  }

  #armDeadline(): void {
    if (this.#gone) return
    const { clock, closeWithinMs } = this.#options
    this.#deadline ??= setTimer(clock, closeWithinMs, () => this.#socket.terminate())
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
