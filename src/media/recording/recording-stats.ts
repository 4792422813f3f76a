/** Counters of a recorder; plain numbers, safe to read at any time. */
export interface RecordingStats {
  begun: number
  /** Finished recordings with content. */
  kept: number
  /** Duration of conversations recorded (ms). */
  keptMs: number
  /** Recordings that could not be started. */
  refused: number
  /** Participants left out because they could not be notified. */
  leftOut: number
  /** Audio lost because the disk was too slow (ms). */
  lostMs: number
  /** Tracks that ended early because of a disk error. */
  tracksFailed: number
}
