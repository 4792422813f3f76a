import type { WebSocket } from 'ws'
import { after, type Clock } from '../../core/clock.ts'
import { BridgeError, type EndReason } from '../../core/errors.ts'
import { TokenBucket } from '../../core/token-bucket.ts'
import { CLOSE_CODES, type CloseCause } from './close-codes.ts'
import type { LegCounters } from './counters.ts'
import type { BrowserLimits } from './limits.ts'
import type { Outbound } from './messages.ts'
import { isPacketLength, MOST_PACKET_BYTES } from './packet.ts'
import { type Inbound, parse } from './wire.ts'

/** Bad messages within one second that end the connection. */
const MAX_BAD_PER_SECOND = 10
/** What a browser says when somebody leaves the page, or the page hangs up. */
const LEFT_CODES = [1000, 1001]

/** Who a connection's messages are for: first the reception, then the leg. */
export interface TalkListener {
  /** One message of audio, of a length that is one; borrowed for the call. */
  audio(message: Buffer, now: number): void
  message(message: Exclude<Inbound, { kind: 'invalid' }>, now: number): void
  /** The far side is gone, or was cut off; called once, and nothing is called after it. */
  closed(reason: EndReason): void
  /** The far side did what it should not, or `err` was thrown on our side. Called for the first fault only. */
  fault(fault: string, err?: unknown): void
}

export interface TalkSocketOptions {
  readonly clock: Clock
  readonly limits: BrowserLimits
  readonly counters: LegCounters
}

/**
 * A page's socket with its guards: sizes and rates are bounded before anything is parsed, nothing thrown by a listener
 * leaves it, and closing ends by force when the far side does not answer. Whoever holds the socket closes it.
 */
export class TalkSocket {
  /** Set in the tick in which the socket arrives. */
  listener: TalkListener | undefined
  readonly counters: LegCounters
  /** When the far side last gave a sign of life (ms of the clock). */
  heardAt: number
  readonly #socket: WebSocket
  readonly #clock: Clock
  readonly #limits: BrowserLimits
  readonly #rate: TokenBucket
  readonly #closed = Promise.withResolvers<void>()
  #deadline: Disposable | undefined
  #closing = false
  #gone = false
  #faulty = false
  #badSince = Number.NEGATIVE_INFINITY
  #bad = 0

  constructor(socket: WebSocket, { clock, limits, counters }: TalkSocketOptions) {
    this.#socket = socket
    this.#clock = clock
    this.#limits = limits
    this.counters = counters
    this.heardAt = clock.now()
    this.#rate = new TokenBucket(limits.messagesPerSecond, limits.messageBurst, this.heardAt)
    socket.on('message', (data, isBinary) => this.#onMessage(data as Buffer, isBinary))
    socket.on('ping', () => this.#onControl())
    socket.on('pong', () => this.#onControl())
    socket.on('error', (error: Error & { code?: string }) => this.#onError(error))
    socket.on('close', code => this.#onClose(code))
  }

  /** Bytes handed over and not yet taken by the network. */
  get unsentBytes(): number {
    return this.#socket.bufferedAmount
  }

  tell(message: Outbound): void {
    if (!this.#closing) this.#socket.send(JSON.stringify(message))
  }

  /** One message of audio; it is the socket's from then on. */
  send(audio: Buffer): void {
    if (!this.#closing) this.#socket.send(audio)
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
    this.#tellClosed({
      kind: 'failed',
      error: new BridgeError('LEG_PROTOCOL', CLOSE_CODES[cause].meaning),
    })
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
    const now = this.#clock.now()
    this.heardAt = now
    this.counters.messagesIn++
    if (data.length > (isBinary ? MOST_PACKET_BYTES : this.#limits.maxTextBytes)) this.fail('too-large')
    else if (this.#admit(now)) this.#deliver(data, isBinary, now)
  }

  #deliver(data: Buffer, isBinary: boolean, now: number): void {
    try {
      if (isBinary) {
        if (isPacketLength(data.length)) this.listener?.audio(data, now)
        else this.#countBad('audio', now)
        return
      }
      const message = parse(data.toString('utf8'))
      if (message.kind === 'invalid') this.#countBad(message.fault, now)
      else this.listener?.message(message, now)
    } catch (error) {
      this.#crash(error)
    }
  }

  #onControl(): void {
    this.heardAt = this.#clock.now()
    this.#admit(this.heardAt)
  }

  #admit(now: number): boolean {
    if (this.#rate.take(now) >= 0) return true
    this.counters.floodDropped++
    this.fail('flood')
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
    this.#tellClosed(
      LEFT_CODES.includes(code) ? { kind: 'hangup', by: 'remote' } : lost(`closed with code ${code}`),
    )
    this.#closed.resolve()
  }

  #tellClosed(reason: EndReason): void {
    const listener = this.listener
    this.listener = undefined
    listener?.closed(reason)
  }

  #armDeadline(): void {
    if (this.#gone) return
    this.#deadline ??= after(this.#clock, this.#limits.closeWithinMs, () => this.#socket.terminate())
  }

  /** What a listener throws ends this connection and nothing else. */
  #crash(cause: unknown): void {
    this.note('internal', cause)
    const error =
      cause instanceof BridgeError ? cause : new BridgeError('LEG_LOST', 'failed inside', { cause })
    this.#tellClosed({ kind: 'failed', error })
    void this.close('failed')
  }
}

function lost(message: string, cause?: unknown): EndReason {
  return { kind: 'failed', error: new BridgeError('LEG_LOST', message, { retryable: true, cause }) }
}
