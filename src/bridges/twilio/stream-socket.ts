import type { WebSocket } from 'ws'
import { after, type Clock } from '../../core/clock.ts'
import { BridgeError, type EndReason } from '../../core/errors.ts'
import { TokenBucket } from '../../core/token-bucket.ts'
import { CLOSE_CODES, type CloseCause } from './close-codes.ts'
import type { LegCounters } from './counters.ts'
import type { TwilioLimits } from './limits.ts'
import { type Inbound, parse } from './wire.ts'

/** Bad messages within one second that end the stream. */
const MAX_BAD_PER_SECOND = 10

/** Who a stream's messages are for: first the greeting, then the leg. */
export interface StreamListener {
  /** One message that could be read. */
  message(message: Inbound, now: number): void
  /** The far side is gone, or was cut off for `cause`; called once, and nothing is called after it. */
  closed(reason: EndReason, cause?: CloseCause): void
  /** The far side did what it should not, or `err` was thrown on our side. Called for the first fault only. */
  fault(fault: string, err?: unknown): void
}

export interface StreamSocketOptions {
  readonly clock: Clock
  readonly limits: TwilioLimits
  readonly counters: LegCounters
}

/**
 * A media socket with its guards: sizes and rates are bounded before anything is parsed, nothing thrown by a listener
 * leaves it, and closing ends by force when the far side does not answer. Whoever holds the socket closes it.
 */
export class StreamSocket {
  /** Set in the tick in which the socket arrives. */
  listener: StreamListener | undefined
  readonly counters: LegCounters
  /** When the far side last gave a sign of life (ms of the clock). */
  heardAt: number
  readonly #socket: WebSocket
  readonly #clock: Clock
  readonly #limits: TwilioLimits
  readonly #rate: TokenBucket
  readonly #closed = Promise.withResolvers<void>()
  #deadline: Disposable | undefined
  #closing = false
  #gone = false
  #faulty = false
  #badSince = Number.NEGATIVE_INFINITY
  #bad = 0

  constructor(socket: WebSocket, { clock, limits, counters }: StreamSocketOptions) {
    this.#socket = socket
    this.#clock = clock
    this.#limits = limits
    this.counters = counters
    this.heardAt = clock.now()
    this.#rate = new TokenBucket(limits.messagesPerSecond, limits.messageBurst * 2, this.heardAt)
    socket.on('message', (data, isBinary) => this.#onMessage(data as Buffer, isBinary))
    socket.on('ping', () => this.#onControl())
    socket.on('pong', () => this.#onControl())
    socket.on('error', error => this.#onError(error))
    socket.on('close', code => this.#onClose(code))
  }

  /** Bytes handed over and not yet taken by the network. */
  get unsentBytes(): number {
    return this.#socket.bufferedAmount
  }

  /** False once it is closed or being closed; nothing is sent any more. */
  get open(): boolean {
    return !this.#closing
  }

  send(text: string): void {
    if (!this.#closing) this.#socket.send(text)
  }

  ping(): void {
    if (!this.#closing) this.#socket.ping()
  }

  /** Says goodbye with the code of `cause`. Idempotent: every call awaits the first. */
  close(cause: CloseCause): Promise<void> {
    if (!this.#closing) {
      this.#closing = true
      this.#socket.close(CLOSE_CODES[cause].code, cause)
      this.#armDeadline()
    }
    return this.#closed.promise
  }

  /** Ends the connection without a goodbye. */
  terminate(): void {
    this.#closing = true
    this.#socket.terminate()
  }

  /** The far side broke the protocol: tells the listener and closes with the code of `cause`. */
  fail(cause: CloseCause): void {
    this.note(cause)
    this.#tellClosed(
      { kind: 'failed', error: new BridgeError('LEG_PROTOCOL', CLOSE_CODES[cause].meaning) },
      cause,
    )
    void this.close(cause)
  }

  /** Reports a fault of the far side, once for each stream. */
  note(fault: string, err?: unknown): void {
    if (this.#faulty) return
    this.#faulty = true
    this.listener?.fault(fault, err)
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    if (this.#closing) return
    const now = this.#clock.now()
    this.heardAt = now
    this.counters.messagesIn++
    if (data.length > this.#limits.maxMessageBytes) this.fail('too-large')
    else if (isBinary) this.fail('binary')
    else if (this.#admit(now)) this.#deliver(parse(data.toString('utf8')), now)
  }

  #deliver(message: Inbound, now: number): void {
    if (message.kind === 'invalid') {
      this.#countBad(message.fault, now)
      return
    }
    try {
      this.listener?.message(message, now)
    } catch (error) {
      this.#crash(error)
    }
  }

  #onControl(): void {
    this.heardAt = this.#clock.now()
    this.#admit(this.heardAt)
  }

  #admit(now: number): boolean {
    const left = this.#rate.take(now)
    if (left >= this.#limits.messageBurst) return true
    this.counters.floodDropped++
    if (left < 0) this.fail('flood')
    else this.note('flood')
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
    this.#tellClosed(code === 1000 ? { kind: 'hangup', by: 'remote' } : lost(`closed with code ${code}`))
    this.#closed.resolve()
  }

  #tellClosed(reason: EndReason, cause?: CloseCause): void {
    const listener = this.listener
    this.listener = undefined
    listener?.closed(reason, cause)
  }

  #armDeadline(): void {
    if (this.#gone) return
    this.#deadline ??= after(this.#clock, this.#limits.closeWithinMs, () => this.#socket.terminate())
  }

  /** What a listener throws ends this stream and nothing else. */
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
