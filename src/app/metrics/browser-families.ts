import type {
  BridgeCounters,
  BrowserBridge,
  LegCounters as BrowserLegCounters,
} from '../../bridges/browser/index.ts'
import {
  type Family,
  type FieldTable,
  fieldFamilies,
  labelled,
  MS,
  single,
} from '../../web/metrics/family.ts'

const BROWSER_LEG: FieldTable<BrowserLegCounters> = {
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
  keys: ['dragoman_browser_keys_total', 'Keys pressed.'],
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

const BROWSER_BRIDGE: FieldTable<BridgeCounters> = {
  visits: ['dragoman_browser_visits_begun_total', 'Visits started.'],
  resumed: ['dragoman_browser_visits_resumed_total', 'Visits resumed after a disconnection.'],
  links: ['dragoman_browser_links_total', 'Links to rooms created.'],
  foreign: [
    'dragoman_browser_foreign_total',
    'Rejected requests from other sites or for unknown host names.',
  ],
}

/** Metrics of the browser bridge. */
export function browserFamilies(browser: () => BrowserBridge): Family[] {
  return [
    single('dragoman_browser_legs', 'Connected browsers.', () => browser().legs.size),
    single(
      'dragoman_browser_visits',
      'Open visits, including those waiting for their page to reconnect.',
      () => browser().visits,
    ),
    labelled('dragoman_browser_refused_total', 'Rejected visitors, by reason.', ['why'], () =>
      Array.from(browser().counters.refused, ([why, count]) => [[why], count] as const),
    ),
    ...fieldFamilies<BridgeCounters>(BROWSER_BRIDGE, [], () => [[[], browser().counters]]),
    ...fieldFamilies<BrowserLegCounters>(BROWSER_LEG, [], () => [[[], browser().legCounters()]]),
  ]
}
