import type { Mp3Header } from './header.ts'

/** Decodes the frames of one stream; keeps state between frames. */
export interface Mp3Decoder {
  /** Peak of the last decoded frame before clamping; 1 is full scale. Valid until the next frame is decoded. */
  readonly peak: number
  /**
   * Decodes the whole frame of `header` at `at` of `bytes` into `header.samples` mono samples (the mean of both
   * channels), clamped. Undefined if the frame cannot be decoded; later frames are decoded as far as possible. The
   * result is a view, valid until the next call of any decoder of the same backend.
   */
  decode(bytes: Uint8Array, at: number, header: Mp3Header): Int16Array | undefined
  /** Resets all state between frames. */
  reset(): void
  /** Frees its memory. Idempotent; the decoder must not be used afterwards. */
  free(): void
}

/** An mp3 decoder implementation: creates equivalent decoders. */
export interface Mp3Backend {
  readonly name: string
  /** Number of decoders that `create` can make before `grow` is needed. */
  readonly room: number
  /** Makes room for more decoders. Rejects if that is impossible. */
  grow(): Promise<void>
  /** Creates a decoder. Throws RangeError if there is no room. */
  create(): Mp3Decoder
}
