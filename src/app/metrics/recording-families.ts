import type { RecordingStats } from '../../media/recording/recording-stats.ts'
import { type Family, type FieldTable, fieldFamilies, MS } from '../../web/metrics/family.ts'

const RECORDINGS: FieldTable<RecordingStats> = {
  begun: ['dragoman_recordings_begun_total', 'Recordings started.'],
  kept: ['dragoman_recordings_kept_total', 'Finished recordings with content.'],
  keptMs: ['dragoman_recordings_kept_seconds_total', 'Duration of conversations recorded.', MS],
  refused: ['dragoman_recordings_refused_total', 'Recordings that could not be started.'],
  leftOut: [
    'dragoman_recording_parties_left_out_total',
    'Participants left out of a recording because they could not be notified of it.',
  ],
  lostMs: ['dragoman_recording_lost_seconds_total', 'Audio lost because the disk was too slow.', MS],
  tracksFailed: [
    'dragoman_recording_tracks_failed_total',
    'Tracks of recordings that ended early because of a disk error.',
  ],
}

export function recordingFamilies(stats: RecordingStats): Family[] {
  return fieldFamilies<RecordingStats>(RECORDINGS, [], () => [[[], stats]])
}
