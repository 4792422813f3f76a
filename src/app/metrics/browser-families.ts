import type { BridgeCounters, BrowserBridge, LegCounters } from '../../bridges/browser/index.ts'
import {
  type Family,
  type FieldTable,
  fieldFamilies,
  labelled,
  MS,
  single,
} from '../../web/metrics/family.ts'

const LEG: FieldTable<LegCounters> = {
  messagesIn: ['dragoman_browser_messages_received_total', 'Messages of pages, of any kind.'],
  audioIn: ['dragoman_browser_audio_received_total', 'Messages with the voices of parties.'],
  framesIn: ['dragoman_browser_frames_received_total', 'Frames of 20 ms made of them, silence included.'],
  gapsFilledMs: [
    'dragoman_browser_gaps_filled_seconds_total',
    'Holes in the clock of pages filled with silence.',
    MS,
  ],
  pauses: ['dragoman_browser_clock_jumps_total', 'Jumps of the clock of a page taken as a new beginning.'],
  duplicates: ['dragoman_browser_audio_duplicate_total', 'Audio that had come before.'],
  backlogDroppedMs: [
    'dragoman_browser_backlog_dropped_seconds_total',
    'Audio that a stall had made too old when it came.',
    MS,
  ],
  silenceFedMs: ['dragoman_browser_silence_fed_seconds_total', 'Silence fed because nothing came.', MS],
  badMessages: ['dragoman_browser_bad_messages_total', 'Messages that are not what they should be.'],
  ignored: ['dragoman_browser_ignored_messages_total', 'Messages of unknown kind, or not for now.'],
  floodDropped: ['dragoman_browser_flood_dropped_total', 'Messages and audio dropped because too many came.'],
  keys: ['dragoman_browser_keys_total', 'Keys pressed.'],
  audioOut: ['dragoman_browser_audio_messages_sent_total', 'Messages of audio sent.'],
  sentMs: ['dragoman_browser_audio_sent_seconds_total', 'Audio sent.', MS],
  marksSent: ['dragoman_browser_marks_sent_total', 'Marks sent.'],
  marksHeard: ['dragoman_browser_marks_heard_total', 'Marks confirmed.'],
  marksStale: ['dragoman_browser_marks_stale_total', 'Echoes of marks that were flushed or never sent.'],
  flushes: ['dragoman_browser_flushes_total', 'Times that what was queued at a page was dropped.'],
  underruns: [
    'dragoman_browser_underruns_total',
    'Times that the buffer of a page ran dry in the midst of speech, as it says.',
  ],
  skippedMs: ['dragoman_browser_skipped_seconds_total', 'What pages left out to catch up, as they say.', MS],
}

const BRIDGE: FieldTable<BridgeCounters> = {
  visits: ['dragoman_browser_visits_begun_total', 'Visits begun.'],
  resumed: ['dragoman_browser_visits_resumed_total', 'Visits that went on after a cut.'],
  links: ['dragoman_browser_links_total', 'Links to rooms made.'],
  foreign: ['dragoman_browser_foreign_total', 'Requests of other sites and for other hosts, turned away.'],
}

/** Who talks in a browser. */
export function browserFamilies(browser: () => BrowserBridge): Family[] {
  return [
    single('dragoman_browser_legs', 'Browsers connected now.', () => browser().legs.size),
    single(
      'dragoman_browser_visits',
      'Visits now, those that wait for their page to come back included.',
      () => browser().visits,
    ),
    labelled('dragoman_browser_refused_total', 'Visitors who were not let in, by why.', ['why'], () =>
      Array.from(browser().counters.refused, ([why, count]) => [[why], count] as const),
    ),
    ...fieldFamilies<BridgeCounters>(BRIDGE, [], () => [[[], browser().counters]]),
    ...fieldFamilies<LegCounters>(LEG, [], () => [[[], browser().legCounters()]]),
  ]
}
