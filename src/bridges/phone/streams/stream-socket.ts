import { type Clock, setTimer } from '../../../common/clock.ts'
import type { Logger } from '../../../common/log.ts'
import { addFields, type FieldTable, MS } from '../../../common/metric-field.ts'
import { LegSocket, type LegSocketListener, type LegTransport } from '../../websocket/leg-socket.ts'
import type { StreamLimits } from '../limits.ts'
import type { Inbound, MediaDialect, Start } from '../ports/media-dialect.ts'

/**
 * Reasons for which the server closes a media socket, with their close codes. Twilio, for example, writes
 * the code into its debugger and continues with the `<Redirect>` after the `<Connect>`. Listed in `docs/reference/errors.md`.
 */
export const CLOSE_CODES = {
  done: { code: 1000, meaning: 'The call is over, or we hung up.' },
  'going-away': { code: 1001, meaning: 'The server is shutting down.' },
  protocol: { code: 1002, meaning: 'Invalid WebSocket frames (RFC 6455).' },
  binary: { code: 1003, meaning: 'A binary frame from a carrier whose messages are text, or the reverse.' },
  'bad-messages': { code: 1007, meaning: '10 invalid messages within one second.' },
  flood: {
    code: 1008,
    meaning:
      'Far more messages than a call needs: more than 60 a second beyond a burst of 250, or of 7,450 after `start`.',
  },
  'too-large': { code: 1009, meaning: 'A message exceeds 64 KiB.' },
  failed: { code: 1011, meaning: 'An error occurred on the server; the call resumes on a new stream.' },
  restart: { code: 1012, meaning: 'The server is being replaced; the call resumes on another one.' },
  full: { code: 1013, meaning: 'The server currently accepts no more calls.' },
  'bad-media': {
    code: 4400,
    meaning: 'More than 5 of 100 media messages have a payload that is not base64.',
  },
  unauthorized: {
    code: 4401,
    meaning: 'Token missing, wrong, used, expired, or issued for another call than that of `start`.',
  },
  'call-ended': { code: 4404, meaning: 'The call of this stream has ended.' },
  'no-start': { code: 4408, meaning: 'No `start` within 5 seconds.' },
  replaced: { code: 4409, meaning: 'A newer stream of the same call replaced this one.' },
  'media-format': {
    code: 4415,
    meaning: 'Audio in another format than requested, such as µ-law at 8,000 Hz, mono.',
  },
} as const satisfies Record<string, { code: number; meaning: string }>

/** A row of the table. */
export type CloseCause = keyof typeof CLOSE_CODES

/** Counters of one leg: plain numbers, safe to read at any time. */
export class LegCounters {
  /** Messages of any kind. */
  messagesIn = 0
  /** Media messages with the participant’s audio. */
  mediaIn = 0
  /** 20 ms frames written to the uplink, including silence. */
  framesIn = 0
  /** Gaps in the media clock filled with silence (ms). */
  gapsFilledMs = 0
  /** Jumps of the media clock treated as a restart. */
  pauses = 0
  /** Media received before, entirely or partly. */
  duplicates = 0
  /** Media that waited for an earlier message. */
  reordered = 0
  /** Media that arrived after its turn. */
  late = 0
  /** Audio dropped because it was too old after a stall (ms). */
  backlogDroppedMs = 0
  /** Silence written because no media arrived (ms). */
  silenceFedMs = 0
  /** Media with a payload that is not base64, replaced by silence. */
  badPayloads = 0
  /** Invalid messages. */
  badMessages = 0
  /** Messages of an unknown kind or of another stream, or a second `start`. */
  ignored = 0
  /** Messages dropped above the rate limit. */
  floodDropped = 0
  dtmf = 0
  /** Key presses above 20 a second. */
  dtmfDropped = 0
  mediaOut = 0
  /** Audio sent (ms). */
  sentMs = 0
  marksSent = 0
  marksHeard = 0
  /** Echoes of marks that were flushed or never sent. */
  marksStale = 0
  clears = 0

  /** Adds the counts of `other`. */
  add(other: LegCounters): void {
    addFields(STREAM_LEG_METRICS, this, other)
  }
}

/** The metric of each counter. */
export const STREAM_LEG_METRICS: FieldTable<LegCounters> = {
  messagesIn: ['dragoman_telephony_messages_received_total', 'Messages received on media streams.'],
  mediaIn: ['dragoman_telephony_media_received_total', 'Media messages received.'],
  framesIn: ['dragoman_telephony_frames_received_total', '20 ms frames built from them, including silence.'],
  gapsFilledMs: [
    'dragoman_telephony_gaps_filled_seconds_total',
    'Gaps in the media clock filled with silence.',
    MS,
  ],
  pauses: ['dragoman_telephony_clock_jumps_total', 'Jumps of the media clock treated as a restart.'],
  reordered: [
    'dragoman_telephony_media_reordered_total',
    'Media messages that arrived before an earlier one, and waited for it.',
  ],
  late: [
    'dragoman_telephony_media_late_total',
    'Media messages that arrived more than 100 ms after a later one.',
  ],
  duplicates: ['dragoman_telephony_media_duplicate_total', 'Media received twice, in whole or in part.'],
  backlogDroppedMs: [
    'dragoman_telephony_backlog_dropped_seconds_total',
    'Audio dropped because it arrived too late after a stall.',
    MS,
  ],
  silenceFedMs: [
    'dragoman_telephony_silence_fed_seconds_total',
    'Silence inserted while no media arrived.',
    MS,
  ],
  badPayloads: ['dragoman_telephony_bad_payloads_total', 'Media messages with an invalid base64 payload.'],
  badMessages: ['dragoman_telephony_bad_messages_total', 'Malformed messages.'],
  ignored: [
    'dragoman_telephony_ignored_messages_total',
    'Messages of an unknown kind or of another stream, and repeated start messages.',
  ],
  floodDropped: ['dragoman_telephony_flood_dropped_total', 'Messages dropped by the rate limit.'],
  dtmf: ['dragoman_telephony_dtmf_total', 'Keys pressed.'],
  dtmfDropped: ['dragoman_telephony_dtmf_dropped_total', 'Keys dropped above 20 per second.'],
  mediaOut: ['dragoman_telephony_media_sent_total', 'Media messages sent.'],
  sentMs: ['dragoman_telephony_audio_sent_seconds_total', 'Audio sent.', MS],
  marksSent: ['dragoman_telephony_marks_sent_total', 'Marks sent.'],
  marksHeard: ['dragoman_telephony_marks_heard_total', 'Marks confirmed.'],
  marksStale: ['dragoman_telephony_marks_stale_total', 'Echoes of marks that were flushed or never sent.'],
  clears: ['dragoman_telephony_clears_total', 'Times that the audio queued at the carrier was cleared.'],
}

export interface HandshakeOptions {
  readonly clock: Clock
  readonly log: Logger
  readonly limits: StreamLimits
  /** Checks token, call and audio format of `start`; returns the cause for rejecting the stream, or undefined. */
  readonly check: (start: Start) => CloseCause | undefined
  /** Counts a stream that never became a leg. */
  readonly refused: (cause: CloseCause) => void
}

/**
 * Waits on a socket, whose upgrade was verified, for a `start` accepted by `check`, and calls `onStart` in the same tick.
 * The socket fails if `start` is rejected or comes too late. Media before it is dropped: a busy Asterisk sends `MEDIA_START`
 * more than a second late (asterisk#1712), and until it is known whose audio this is, nothing is kept.
 */
export function awaitStart(
  socket: MediaSocket,
  { clock, log, limits, check, refused }: HandshakeOptions,
  onStart: (start: Start) => void,
): void {
  const deadline = setTimer(clock, limits.startWithinMs, () => socket.fail('no-start'))
  const begin = (start: Start) => {
    const cause = check(start)
    if (cause !== undefined) {
      socket.fail(cause)
      return
    }
    deadline[Symbol.dispose]()
    onStart(start)
  }
  socket.attach({
    message: message => {
      if (message.kind === 'start') begin(message)
    },
    closed: (reason, cause) => {
      deadline[Symbol.dispose]()
      if (cause === undefined) {
        log.info({ reason: reason.kind }, 'stream closed before start')
        return
      }
      refused(cause)
      log.warn({ cause, code: CLOSE_CODES[cause].code }, 'stream rejected')
    },
    // Logged once, on rejection.
    fault: () => {},
  })
}

/** Receives a stream’s messages: first the handshake, then the leg. */
export interface StreamListener extends LegSocketListener<CloseCause> {
  /** Receives one valid message. */
  message(message: Inbound, now: number): void
}

export interface StreamSocketOptions {
  readonly clock: Clock
  readonly limits: StreamLimits
  readonly counters: LegCounters
  readonly media: MediaDialect
}

/** A media socket: messages in the carrier’s format, up to `maxMessageBytes`. Its holder closes it. */
export class MediaSocket extends LegSocket<CloseCause, LegCounters, StreamListener> {
  readonly #maxBytes: number
  readonly #media: MediaDialect

  constructor(socket: LegTransport, { clock, limits, counters, media }: StreamSocketOptions) {
    const { messagesPerSecond, messageBurst, closeWithinMs, maxMessageBytes } = limits
    const rates = { messagesPerSecond, messageBurst, closeWithinMs }
    super(socket, { clock, counters, codes: CLOSE_CODES, leftCodes: [1000], ...rates })
    this.#maxBytes = maxMessageBytes
    this.#media = media
  }

  override send(message: string | Buffer): void {
    super.send(message, this.#media.frames !== 'text' && typeof message !== 'string')
  }

  protected override refuses(data: Buffer, isBinary: boolean): CloseCause | undefined {
    if (data.length > this.#maxBytes) return 'too-large'
    const { frames } = this.#media
    return frames === 'both' || isBinary === (frames === 'binary') ? undefined : 'binary'
  }

  /** Nearly all messages are audio. */
  protected override isAudio(): boolean {
    return true
  }

  protected override deliver(data: Buffer, isBinary: boolean, now: number): string | undefined {
    const message = this.#media.parse(data, isBinary)
    if (message.kind === 'invalid') return message.fault
    this.listener?.message(message, now)
    return undefined
  }
}
