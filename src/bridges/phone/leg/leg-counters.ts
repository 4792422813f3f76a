import { addFields, type FieldTable, MS } from '../../../common/metric-field.ts'

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
