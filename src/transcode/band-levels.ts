import { FRAME_SAMPLES } from './pcm.ts'

/** Half the sample rate is enough: it covers the phone band. */
const SIZE = 256
const HALF = SIZE / 2
const HOP = FRAME_SAMPLES / 2
const KEPT = SIZE - HOP
/** Levels below this are silence (dBFS). */
export const SILENCE_DB = -90

/** Band edges (bins of 31.25 Hz): 190 to 3500 Hz, narrow where harmonics are far apart. */
const EDGES = [6, 9, 12, 15, 18, 21, 24, 27, 31, 35, 39, 43, 47, 51, 55, 60, 65, 70, 76, 82, 88, 95, 103, 112]
/** Number of bands. */
export const BANDS = EDGES.length - 1

// Shared by all analyzers: the module runs on one thread, and a frame is finished before the next.
const WINDOW = Float64Array.from({ length: SIZE }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / SIZE))
const COS = Float64Array.from({ length: HALF }, (_, n) => Math.cos((2 * Math.PI * n) / SIZE))
const SIN = Float64Array.from({ length: HALF }, (_, n) => Math.sin((2 * Math.PI * n) / SIZE))
const REVERSED = Uint8Array.from({ length: HALF }, (_, n) => {
  let reversed = 0
  for (let bit = 1, at = HALF >> 1; at > 0; bit <<= 1, at >>= 1) if (n & bit) reversed |= at
  return reversed
})
const real = new Float64Array(HALF)
const imaginary = new Float64Array(HALF)
/** Scaling to dBFS: a full-scale sine has 0 dBFS in its band. */
const SCALE = 1 / ((SIZE / 4) * 32_768) ** 2
const LEAST = 10 ** (SILENCE_DB / 10)

/** Band levels of one voice, frame by frame: 256 samples at 8 kHz, of which each frame adds 160. */
export class BandLevels {
  readonly #kept = new Float64Array(KEPT)

  /** Resets the history: the next frame does not follow the previous one. */
  reset(): void {
    this.#kept.fill(0)
  }

  /**
   * Writes the levels of `frame` (dBFS) into `out` from `at` on, `BANDS` of them, and if wanted, the powers (1 at 0 dBFS)
   * into `powers`.
   */
  levels(frame: Int16Array, out: Float32Array, at: number, powers?: Float32Array): void {
    this.#load(frame)
    transform()
    for (let band = 0, bin = EDGES[0]!; band < BANDS; band++) {
      const end = EDGES[band + 1]!
      let power = LEAST / SCALE
      for (; bin < end; bin++) power += powerAt(bin)
      power *= SCALE
      out[at + band] = 10 * Math.log10(power)
      if (powers) powers[at + band] = power
    }
  }

  /** Halves the rate, appends the frame to the history, and windows all of it in pairs. */
  #load(frame: Int16Array): void {
    const kept = this.#kept
    for (let n = 0; n < KEPT; n += 2) {
      const to = REVERSED[n >> 1]!
      real[to] = kept[n]! * WINDOW[n]!
      imaginary[to] = kept[n + 1]! * WINDOW[n + 1]!
    }
    for (let n = 0; n < HOP; n += 2) {
      const from = 2 * n
      const even = 0.5 * (frame[from]! + frame[from + 1]!)
      const odd = 0.5 * (frame[from + 2]! + frame[from + 3]!)
      const to = REVERSED[(KEPT + n) >> 1]!
      real[to] = even * WINDOW[KEPT + n]!
      imaginary[to] = odd * WINDOW[KEPT + n + 1]!
      const keep = n - (HOP - KEPT)
      if (keep < 0) continue
      kept[keep] = even
      kept[keep + 1] = odd
    }
  }
}

/** Fourier transform of the 128 pairs, in place (radix 2, already in bit-reversed order). */
function transform(): void {
  // The first two steps have trivial twiddle factors.
  for (let a = 0; a < HALF; a += 4) {
    const re0 = real[a]! + real[a + 1]!
    const im0 = imaginary[a]! + imaginary[a + 1]!
    const re1 = real[a]! - real[a + 1]!
    const im1 = imaginary[a]! - imaginary[a + 1]!
    const re2 = real[a + 2]! + real[a + 3]!
    const im2 = imaginary[a + 2]! + imaginary[a + 3]!
    const re3 = real[a + 2]! - real[a + 3]!
    const im3 = imaginary[a + 2]! - imaginary[a + 3]!
    real[a] = re0 + re2
    imaginary[a] = im0 + im2
    real[a + 1] = re1 + im3
    imaginary[a + 1] = im1 - re3
    real[a + 2] = re0 - re2
    imaginary[a + 2] = im0 - im2
    real[a + 3] = re1 - im3
    imaginary[a + 3] = im1 + re3
  }
  for (let size = 8; size <= HALF; size <<= 1) {
    const half = size >> 1
    const step = SIZE / size
    for (let start = 0; start < HALF; start += size)
      for (let k = 0, turn = 0; k < half; k++, turn += step) {
        const a = start + k
        const b = a + half
        const c = COS[turn]!
        const s = SIN[turn]!
        const re = real[b]! * c + imaginary[b]! * s
        const im = imaginary[b]! * c - real[b]! * s
        real[b] = real[a]! - re
        imaginary[b] = imaginary[a]! - im
        real[a] = real[a]! + re
        imaginary[a] = imaginary[a]! + im
      }
  }
}

/** Power of one bin of the 256 samples, from the transform of their pairs. */
function powerAt(bin: number): number {
  const mirror = HALF - bin
  const evenRe = 0.5 * (real[bin]! + real[mirror]!)
  const evenIm = 0.5 * (imaginary[bin]! - imaginary[mirror]!)
  const oddRe = 0.5 * (imaginary[bin]! + imaginary[mirror]!)
  const oddIm = 0.5 * (real[mirror]! - real[bin]!)
  const re = evenRe + oddRe * COS[bin]! + oddIm * SIN[bin]!
  const im = evenIm + oddIm * COS[bin]! - oddRe * SIN[bin]!
  return re * re + im * im
}
