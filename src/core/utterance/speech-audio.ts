/** One listener's position in an utterance. */
export interface UtteranceReader {
  /** Frames read so far. */
  readonly at: number
  /** True if all frames were read and no more follow. */
  readonly done: boolean
  /** Returns the next frame, valid until the following call; undefined if it is not available yet. */
  next(): Int16Array | undefined
  /** Releases the reader. Idempotent. */
  close(): void
}

/** Keeps an utterance available without its samples. */
export interface SpeechHold {
  /** True if it can be played from its start. */
  readonly whole: boolean
  /** From now on, only the last `frames` frames are kept. */
  keepEnd(frames: number): void
  /** Idempotent. */
  close(): void
}

/** The audio of an utterance, as playback sees it. */
export interface SpeechAudio {
  /** True once all of it was decoded, so that its length is final. */
  readonly complete: boolean
  /** True once all of it was received. */
  readonly received: boolean
  /** Frames decoded so far; all of them if it is complete. */
  readonly frames: number
  /** Length received so far (ms). */
  readonly durationMs: number
  /** Encoded bytes held. */
  readonly bytes: number
  /** Creates a reader at its start, which must have been kept by a reader or hold. */
  reader(): UtteranceReader
  hold(): SpeechHold
  /** Returns a copy of the last `most` frames, or of all. It fills over the next ticks, faster than playback. */
  copy(most: number): Int16Array
}
