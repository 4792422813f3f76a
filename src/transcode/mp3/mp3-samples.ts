import { saturate } from '../saturate.ts'
import { MP3_FRAME_SAMPLES } from './header.ts'

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
