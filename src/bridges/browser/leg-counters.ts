import { addFields, type FieldTable, MS } from '../../common/metric-field.ts'

/** Counters of one leg: plain numbers, safe to read at any time. */
export class BrowserLegCounters {
  /** Messages of any kind. */
  messagesIn = 0
  /** Messages with the participant’s audio. */
  audioIn = 0
  /** 20 ms frames written to the uplink, including silence. */
  framesIn = 0
  /** Gaps in the page’s clock filled with silence (ms). */
  gapsFilledMs = 0
  /** Jumps of the page’s clock treated as a restart. */
  pauses = 0
  /** Messages with audio received before. */
  duplicates = 0
  /** Audio dropped because it was too old after a stall (ms). */
  backlogDroppedMs = 0
  /** Silence written because no audio arrived (ms). */
  silenceFedMs = 0
  /** Invalid messages. */
  badMessages = 0
  /** Messages of an unknown kind, or unexpected in the current state. */
  ignored = 0
  /** Messages and audio dropped above the rate limit. */
  floodDropped = 0
  keys = 0
  audioOut = 0
  /** Audio sent (ms). */
  sentMs = 0
  marksSent = 0
  marksHeard = 0
  /** Echoes of marks that were flushed or never sent. */
  marksStale = 0
  flushes = 0
  /** Reported by the page: the number of times its buffer ran dry during speech. */
  underruns = 0
  /** Reported by the page: audio skipped to catch up (ms). */
  skippedMs = 0

  /** Adds the counts of `other`. */
  add(other: BrowserLegCounters): void {
    addFields(BROWSER_LEG_METRICS, this, other)
  }
}

/** The metric of each counter. */
export const BROWSER_LEG_METRICS: FieldTable<BrowserLegCounters> = {
  messagesIn: ['dragoman_browser_messages_received_total', 'Messages received from pages.'],
  audioIn: ['dragoman_browser_audio_received_total', 'Audio messages received from pages.'],
  framesIn: [
    'dragoman_browser_frames_received_total',
    '20 ms frames built from that audio, including silence.',
  ],
  gapsFilledMs: [
    'dragoman_browser_gaps_filled_seconds_total',
    'Gaps in the clock of pages filled with silence.',
    MS,
  ],
  pauses: ['dragoman_browser_clock_jumps_total', 'Clock jumps of a page treated as a restart.'],
  duplicates: ['dragoman_browser_audio_duplicate_total', 'Duplicate audio.'],
  backlogDroppedMs: [
    'dragoman_browser_backlog_dropped_seconds_total',
    'Audio dropped because it arrived too late after a stall.',
    MS,
  ],
  silenceFedMs: [
    'dragoman_browser_silence_fed_seconds_total',
    'Silence inserted while no audio arrived.',
    MS,
  ],
  badMessages: ['dragoman_browser_bad_messages_total', 'Malformed messages.'],
  ignored: [
    'dragoman_browser_ignored_messages_total',
    'Messages of an unknown kind, or not expected in the current state.',
  ],
  floodDropped: ['dragoman_browser_flood_dropped_total', 'Messages and audio dropped by the rate limit.'],
  keys: ['dragoman_browser_dtmf_total', 'Keys pressed.'],
  audioOut: ['dragoman_browser_audio_messages_sent_total', 'Audio messages sent.'],
  sentMs: ['dragoman_browser_audio_sent_seconds_total', 'Audio sent.', MS],
  marksSent: ['dragoman_browser_marks_sent_total', 'Marks sent.'],
  marksHeard: ['dragoman_browser_marks_heard_total', 'Marks confirmed.'],
  marksStale: ['dragoman_browser_marks_stale_total', 'Echoes of marks that were flushed or never sent.'],
  flushes: ['dragoman_browser_flushes_total', 'Times that the audio queued at a page was dropped.'],
  underruns: [
    'dragoman_browser_underruns_total',
    'Times that the buffer of a page ran empty during speech, as reported by the page.',
  ],
  skippedMs: [
    'dragoman_browser_skipped_seconds_total',
    'Audio skipped by pages to catch up, as reported by the page.',
    MS,
  ],
}

/** Counters of the bridge, apart from its legs. */
export class BridgeCounters {
  /** Visits started. */
  sessions = 0
  /** Visits resumed after a disconnection. */
  resumed = 0
  /** Links created. */
  links = 0
  /** Requests rejected because of their origin or host. */
  rejectedOrigin = 0
  /** Visitors rejected, by reason. */
  readonly refused = new Map<string, number>()

  refuse(why: string): void {
    this.refused.set(why, (this.refused.get(why) ?? 0) + 1)
  }
}

/** The metric of each counter. */
export const BROWSER_METRICS: FieldTable<BridgeCounters> = {
  sessions: ['dragoman_browser_sessions_started_total', 'Sessions of visitors started.'],
  resumed: ['dragoman_browser_sessions_resumed_total', 'Sessions resumed after a disconnection.'],
  links: ['dragoman_browser_links_total', 'Links to rooms created.'],
  rejectedOrigin: [
    'dragoman_browser_rejected_origin_total',
    'Rejected requests from other sites or for unknown host names.',
  ],
}
