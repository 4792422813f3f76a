import type { RecordingStats } from '../../recording/recording-stats.ts'
import type { AudienceStats } from '../../web/dashboard/audience.ts'
import { type Family, type FieldTable, fieldFamilies, MS } from '../../web/metrics/family.ts'
import type { SimulatedCallStats } from '../simulated-calls.ts'

const RECORDINGS: FieldTable<RecordingStats> = {
  begun: ['dragoman_recordings_begun_total', 'Recordings begun.'],
  kept: ['dragoman_recordings_kept_total', 'Recordings that are over and hold something.'],
  keptMs: ['dragoman_recordings_kept_seconds_total', 'How much of conversations they hold.', MS],
  refused: ['dragoman_recordings_refused_total', 'Recordings that could not be begun.'],
  leftOut: [
    'dragoman_recording_parties_left_out_total',
    'Parties left out of a recording, since they could not be told of it.',
  ],
  lostMs: [
    'dragoman_recording_lost_seconds_total',
    'Sound that the disk was too slow for, in recordings that are over.',
    MS,
  ],
  tracksFailed: [
    'dragoman_recording_tracks_failed_total',
    'Tracks of recordings that end early, since the disk failed.',
  ],
}

const AUDIENCE: FieldTable<AudienceStats> = {
  viewers: ['dragoman_dashboard_viewers', 'Pages of the dashboard that are open.'],
  cutOff: ['dragoman_dashboard_viewers_cut_off_total', 'Pages of it cut off since they did not read.'],
  refused: ['dragoman_dashboard_viewers_refused_total', 'Pages of it turned away since there were too many.'],
  skipped: [
    'dragoman_dashboard_levels_skipped_total',
    'Times that a page was not told levels since it reads slowly.',
  ],
}

const SIMULATED: FieldTable<SimulatedCallStats> = {
  calls: ['dragoman_simulated_calls', 'Simulated calls of the dashboard now.'],
  placed: ['dragoman_simulated_calls_placed_total', 'Simulated calls placed on the dashboard.'],
  failed: ['dragoman_simulated_calls_failed_total', 'Simulated calls that did not come about.'],
}

export interface WatchingSources {
  readonly recordings: () => RecordingStats
  readonly audience: () => AudienceStats
  readonly simulated: () => SimulatedCallStats
}

/** Recordings, who looks at the dashboard, and the calls that are simulated on it. */
export function watchingFamilies({ recordings, audience, simulated }: WatchingSources): Family[] {
  return [
    ...fieldFamilies<RecordingStats>(RECORDINGS, [], () => [[[], recordings()]]),
    ...fieldFamilies<AudienceStats>(AUDIENCE, [], () => [[[], audience()]]),
    ...fieldFamilies<SimulatedCallStats>(SIMULATED, [], () => [[[], simulated()]]),
  ]
}
