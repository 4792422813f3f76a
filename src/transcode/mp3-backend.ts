import type { Mp3Header } from './mp3-header.ts'

/** Decodes the frames of one stream at a time; keeps what one frame leaves for the next. */
export interface Mp3Decoder {
  /** How far the frame decoded last reached before it was clamped; 1 is full scale. Valid until the next one is decoded. */
  readonly peak: number
  /**
   * Decodes the whole frame of `header` at `at` of `bytes` into `header.samples` mono samples (the mean of both
   * channels), clamped. Undefined if the frame is damaged beyond sound; what follows decodes as well as it can.
   * The result is a view valid until the next call of any decoder of the same backend.
   */
  decode(bytes: Uint8Array, at: number, header: Mp3Header): Int16Array | undefined
  /** As new: nothing of the frames before is left. */
  reset(): void
  /** Gives its memory back. Idempotent; not to be used after. */
  free(): void
}

/** One implementation of mp3 decoding: the source of decoders that are all alike. */
export interface Mp3Backend {
  readonly name: string
  /** How many decoders `create` can make before `grow` is needed. */
  readonly room: number
  /** Makes room for more. Rejects if there can be none. */
  grow(): Promise<void>
  /** A new decoder. Throws RangeError if there is no room. */
  create(): Mp3Decoder
}
