/** What a recorder counts; plain numbers, safe to read at any time. */
export interface RecordingStats {
  begun: number
  /** Recordings that are over and hold something. */
  kept: number
  /** How much of a conversation they hold (ms). */
  keptMs: number
  /** Recordings that could not be begun. */
  refused: number
  /** Parties left out, since they could not be told. */
  leftOut: number
  /** Sound that the disk was too slow for (ms). */
  lostMs: number
  /** Tracks that end early, since the disk failed. */
  tracksFailed: number
}
