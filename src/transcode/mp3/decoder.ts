import { saturate } from '../pcm.ts'
import { MP3_FRAME_SAMPLES, type Mp3Header } from './header.ts'

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

/** The samples of one decoded frame, shared by all decoders of a backend: valid until the next frame is decoded. */
export class Mp3Samples {
  /** Peak of the frame before clamping: 1 is full scale. */
  peak = 0
  readonly #pcm = new Int16Array(MP3_FRAME_SAMPLES)
  readonly #half = this.#pcm.subarray(0, MP3_FRAME_SAMPLES / 2)

  /**
   * Converts the first `count` of `floats` (full scale is 1) to 16-bit samples, each the mean of a value and the one
   * `apart` after it.
   */
  take(floats: Float32Array, count: number, apart: number): Int16Array {
    const pcm = this.#pcm
    let highest = 0
    let lowest = 0
    let sum = 0
    for (let i = 0; i < count; i++) {
      const sample = (floats[i]! + floats[i + apart]!) * 16_384
      if (sample > highest) highest = sample
      else if (sample < lowest) lowest = sample
      sum += sample
      pcm[i] = saturate(sample)
    }
    // Damage can also produce NaN, which counts as infinitely loud.
    this.peak = Number.isFinite(sum) ? Math.max(highest, -lowest) / 32_768 : Infinity
    return count === MP3_FRAME_SAMPLES ? pcm : this.#half
  }
}
