import type { WebSocket } from 'ws'
import { after, type Clock } from '../core/clock.ts'
import { BridgeError, type EndReason } from '../core/errors.ts'
import { TokenBucket } from '../core/token-bucket.ts'

/** Bad messages within one second that end the connection. */
const MAX_BAD_PER_SECOND = 10
/** Who is known may bring at once what a stall of this length held up: a network, or a machine that stood still (s). */
const STALL_S = 120
/** Longer than this between two looks, and this process stood still itself: so much of it counts as quiet (ms). */
const LONGEST_LOOK_MS = 1_000

/** Why a socket is closed by this server, whatever its channel; channels have more reasons of their own. */
export type CommonCause = 'going-away' | 'protocol' | 'bad-messages' | 'flood' | 'too-large' | 'failed'

/** The code that a socket is closed with, for each cause. */
export type CloseCodes<C extends string> = Readonly<
  Record<C | CommonCause, { code: number; meaning: string }>
>

/** Who is told of a connection; what is in its messages comes by further methods. */
export interface LegSocketListener<C extends string> {
  /** The far side is gone, or was cut off for `cause`; called once, and nothing is called after it. */
  closed(reason: EndReason, cause?: C | CommonCause): void
  /** The far side did what it should not, or `err` was thrown on our side. Called for the first fault only. */
  fault(fault: string, err?: unknown): void
}

/** What a socket counts. */
export interface LegSocketCounters {
  messagesIn: number
  badMessages: number
  floodDropped: number
}

export interface LegSocketTerms<C extends string, N extends LegSocketCounters> {
  readonly clock: Clock
  readonly counters: N
  readonly codes: CloseCodes<C>
  /** Codes by which the far side says that it is done. */
  readonly leftCodes: readonly number[]
  /** Messages a second for long. */
  readonly messagesPerSecond: number
  /** Messages above that rate which a stranger may bring at once; more end the connection. Pings are always a stranger's. */
  readonly messageBurst: number
  /** From our close frame to the end of the connection by force (ms). */
  readonly closeWithinMs: number
}

/**
 * The socket of a leg with its guards: rates are bounded before anything is parsed, nothing thrown by a listener leaves it, and
 * closing ends by force when the far side does not answer. Whoever holds the socket closes it.
 */
export abstract class LegSocket<
  C extends string,
  N extends LegSocketCounters,
  L extends LegSocketListener<C>,
> {
  /** Set in the tick in which the socket arrives. */
  listener: L | undefined
  readonly counters: N
  #heardAt: number
  /** When `quietMs` was last asked for, and what it counted since then. */
  #lookedAt: number
  #quietMs = 0
  readonly #socket: WebSocket
  readonly #terms: LegSocketTerms<C, N>
  /** For strangers, and for what no stall holds up. */
  readonly #rate: TokenBucket
  /** For the audio of who is known. */
  #audioRate: TokenBucket | undefined
  readonly #closed = Promise.withResolvers<void>()
  #deadline: Disposable | undefined
  #closing = false
  #gone = false
  #faulty = false
  #badSince = Number.NEGATIVE_INFINITY
  #bad = 0

  constructor(socket: WebSocket, terms: LegSocketTerms<C, N>) {
    const { clock, counters, messagesPerSecond, messageBurst } = terms
    this.#socket = socket
    this.#terms = terms
    this.counters = counters
    const now = clock.now()
    this.#heardAt = now
    this.#lookedAt = now
    this.#rate = new TokenBucket(messagesPerSecond, messageBurst, now)
    socket.on('message', (data, isBinary) => this.#onMessage(data as Buffer, isBinary))
    socket.on('ping', () => this.#onControl())
    socket.on('pong', () => this.#onControl())
    socket.on('error', (error: Error & { code?: string }) => this.#onError(error))
    socket.on('close', code => this.#onClose(code))
  }

  /** Why this message is not taken at all, by its size and kind; nothing was parsed yet. */
  protected abstract refuses(data: Buffer, isBinary: boolean): C | CommonCause | undefined

  /** Hands one message to the listener; says what is wrong with one that cannot be read. What is thrown ends the connection. */
  protected abstract deliver(data: Buffer, isBinary: boolean, now: number): string | undefined

  /** When the far side last gave a sign of life (ms of the clock). */
  get heardAt(): number {
    return this.#heardAt
  }

  /** Whether a message is of the kind that comes all the time, and that a stall holds up. */
  protected abstract isAudio(isBinary: boolean): boolean

  /** The far side has shown who it is: what it brings after a stall is taken, however much that is. */
  trust(): void {
    const { clock, messagesPerSecond, messageBurst } = this.#terms
    this.#audioRate ??= new TokenBucket(
      messagesPerSecond,
      messageBurst + messagesPerSecond * STALL_S,
      clock.now(),
    )
  }

  /**
   * How long nothing was heard (ms), at `now`; asked a few times a second. While this process stood still nobody could be
   * heard: what waits in the network is read before that counts.
   */
  quietMs(now: number): number {
    this.#quietMs += Math.min(now - Math.max(this.#lookedAt, this.#heardAt), LONGEST_LOOK_MS)
    this.#lookedAt = now
    return this.#quietMs
  }

  /** Bytes handed over and not yet taken by the network. */
  get unsentBytes(): number {
    return this.#socket.bufferedAmount
  }

  /** False once it is closed or being closed; nothing is sent any more. */
  get open(): boolean {
    return !this.#closing
  }

  /** One message; bytes are the socket's from then on. */
  send(message: string | Buffer): void {
    if (!this.#closing) this.#socket.send(message)
  }

  ping(): void {
    if (!this.#closing) this.#socket.ping()
  }

  /** Says goodbye with the code of `cause`. Idempotent: every call awaits the first. */
  close(cause: C | CommonCause): Promise<void> {
    if (!this.#closing) {
      this.#closing = true
      this.#socket.close(this.#terms.codes[cause].code, cause)
      this.#armDeadline()
    }
    return this.#closed.promise
  }

  /** Ends the connection without a goodbye. */
  terminate(): void {
    this.#closing = true
    this.#socket.terminate()
  }

  /** The far side broke the protocol: tells the listener and closes with the code of `cause`. `retryable`: it may come back. */
  fail(cause: C | CommonCause, retryable = false): void {
    this.note(cause)
    const error = new BridgeError('LEG_PROTOCOL', this.#terms.codes[cause].meaning, { retryable })
    this.#tellClosed({ kind: 'failed', error }, cause)
    void this.close(cause)
  }

  /** Reports a fault, once for each connection. */
  note(fault: string, err?: unknown): void {
    if (this.#faulty) return
    this.#faulty = true
    this.listener?.fault(fault, err)
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
    this.#heardAt = this.#terms.clock.now()
    this.#quietMs = 0
    return this.#heardAt
  }

  #admit(now: number, audio: boolean): boolean {
    const held = audio ? this.#audioRate : undefined
    if ((held ?? this.#rate).take(now) >= 0) return true
    this.counters.floodDropped++
    // So much audio of who is known may be the network's doing after all: they may come back.
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
    const left = this.#terms.leftCodes.includes(code)
    this.#tellClosed(left ? { kind: 'hangup', by: 'remote' } : lost(`closed with code ${code}`))
    this.#closed.resolve()
  }

  #tellClosed(reason: EndReason, cause?: C | CommonCause): void {
    const listener = this.listener
    this.listener = undefined
    listener?.closed(reason, cause)
  }

  #armDeadline(): void {
    if (this.#gone) return
    const { clock, closeWithinMs } = this.#terms
    this.#deadline ??= after(clock, closeWithinMs, () => this.#socket.terminate())
  }

  /** What a listener throws ends this connection and nothing else. */
  #crash(cause: unknown): void {
    this.note('internal', cause)
    const error =
      cause instanceof BridgeError ? cause : new BridgeError('LEG_LOST', 'failed inside', { cause })
    this.#tellClosed({ kind: 'failed', error }, 'failed')
    void this.close('failed')
  }
}

function lost(message: string, cause?: unknown): EndReason {
  return { kind: 'failed', error: new BridgeError('LEG_LOST', message, { retryable: true, cause }) }
}
