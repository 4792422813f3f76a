import type { RecordingStats } from '../../recording/recording-stats.ts'
import { type Family, type FieldTable, fieldFamilies, MS } from '../../web/metrics/family.ts'

const RECORDINGS: FieldTable<RecordingStats> = {
  begun: ['dragoman_recordings_begun_total', 'Recordings begun.'],
  kept: ['dragoman_recordings_kept_total', 'Recordings that are over and hold something.'],
  keptMs: ['dragoman_recordings_kept_seconds_total', 'How much of conversations they hold.', MS],
  refused: ['dragoman_recordings_refused_total', 'Recordings that could not be begun.'],
  leftOut: [
    'dragoman_recording_parties_left_out_total',
    'Parties left out of a recording, since they could not be told of it.',
  ],
  lostMs: ['dragoman_recording_lost_seconds_total', 'Sound that the disk was too slow for.', MS],
  tracksFailed: [
    'dragoman_recording_tracks_failed_total',
    'Tracks of recordings that end early, since the disk failed.',
  ],
}

export function recordingFamilies(stats: RecordingStats): Family[] {
  return fieldFamilies<RecordingStats>(RECORDINGS, [], () => [[[], stats]])
}
