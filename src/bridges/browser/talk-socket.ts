import type { WebSocket } from 'ws'
import type { Clock } from '../../common/clock.ts'
import { LegSocket, type LegSocketListener } from '../websocket/leg-socket.ts'
import { isPacketLength, MOST_PACKET_BYTES } from './audio-packet.ts'
import { CLOSE_CODES, type CloseCause } from './close-codes.ts'
import type { LegCounters } from './counters.ts'
import type { BrowserLimits } from './limits.ts'
import type { Outbound } from './messages.ts'
import { type Inbound, parse } from './wire.ts'

/** Close codes of a browser when the user leaves the page or the page hangs up. */
const LEFT_CODES = [1000, 1001]

/** Receives a connection’s messages: first the reception, then the leg. */
export interface TalkListener extends LegSocketListener<CloseCause> {
  /** Receives one audio message of valid length; the buffer is borrowed for the call. */
  audio(message: Buffer, now: number): void
  message(message: Exclude<Inbound, { kind: 'invalid' }>, now: number): void
}

export interface TalkSocketOptions {
  readonly clock: Clock
  readonly limits: BrowserLimits
  readonly counters: LegCounters
}

/**
 * The socket of a page: text carries messages, binary carries audio, each with its own size limit. Its holder closes
 * it.
 */
export class TalkSocket extends LegSocket<CloseCause, LegCounters, TalkListener> {
  readonly #maxTextBytes: number

  constructor(socket: WebSocket, { clock, limits, counters }: TalkSocketOptions) {
    const { messagesPerSecond, messageBurst, closeWithinMs, maxTextBytes } = limits
    const rates = { messagesPerSecond, messageBurst, closeWithinMs }
    super(socket, { clock, counters, codes: CLOSE_CODES, leftCodes: LEFT_CODES, ...rates })
    this.#maxTextBytes = maxTextBytes
  }

  tell(message: Outbound): void {
    if (this.open) this.send(JSON.stringify(message))
  }

  protected override refuses(data: Buffer, isBinary: boolean): CloseCause | undefined {
    return data.length > (isBinary ? MOST_PACKET_BYTES : this.#maxTextBytes) ? 'too-large' : undefined
  }

  protected override isAudio(isBinary: boolean): boolean {
    return isBinary
  }

  protected override deliver(data: Buffer, isBinary: boolean, now: number): string | undefined {
    if (isBinary) {
      if (!isPacketLength(data.length)) return 'audio'
      this.listener?.audio(data, now)
      return undefined
    }
    const message = parse(data.toString('utf8'))
    if (message.kind === 'invalid') return message.fault
    this.listener?.message(message, now)
    return undefined
  }
}
