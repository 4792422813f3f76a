import type { WebSocket } from 'ws'
import type { Clock } from '../../common/clock.ts'
import { type Inbound, parse } from '../twilio/wire.ts'
import { LegSocket, type LegSocketListener } from '../websocket/leg-socket.ts'
import { CLOSE_CODES, type CloseCause } from './close-codes.ts'
import type { LegCounters } from './counters.ts'
import type { TwilioLimits } from './limits.ts'

/** Receives a stream’s messages: first the greeting, then the leg. */
export interface StreamListener extends LegSocketListener<CloseCause> {
  /** Receives one valid message. */
  message(message: Inbound, now: number): void
}

export interface StreamSocketOptions {
  readonly clock: Clock
  readonly limits: TwilioLimits
  readonly counters: LegCounters
}

/** A media socket: text messages only, up to `maxMessageBytes`. Its holder closes it. */
export class StreamSocket extends LegSocket<CloseCause, LegCounters, StreamListener> {
  readonly #maxBytes: number

  constructor(socket: WebSocket, { clock, limits, counters }: StreamSocketOptions) {
    const { messagesPerSecond, messageBurst, closeWithinMs, maxMessageBytes } = limits
    const rates = { messagesPerSecond, messageBurst, closeWithinMs }
    super(socket, { clock, counters, codes: CLOSE_CODES, leftCodes: [1000], ...rates })
    this.#maxBytes = maxMessageBytes
  }

  protected override refuses(data: Buffer, isBinary: boolean): CloseCause | undefined {
    if (data.length > this.#maxBytes) return 'too-large'
    return isBinary ? 'binary' : undefined
  }

  /** Only text, and nearly all of it is audio. */
  protected override isAudio(): boolean {
    return true
  }

  protected override deliver(data: Buffer, _isBinary: boolean, now: number): string | undefined {
    const message = parse(data.toString('utf8'))
    if (message.kind === 'invalid') return message.fault
    this.listener?.message(message, now)
    return undefined
  }
}
