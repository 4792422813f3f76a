import { FRAME_SAMPLES } from './pcm.ts'

/** Half the sample rate is enough: it covers the phone band. */
const SIZE = 256
const HALF = SIZE / 2
const HOP = FRAME_SAMPLES / 2
const KEPT = SIZE - HOP
/**
 * Levels are whole numbers, so that the memory of many calls fits into the caches of the processor: units per dB. Any level
 * and any difference of two levels fits into 16 bits.
 */
export const UNITS_PER_DB = 256
/** Levels below this are silence (units, −90 dBFS). */
export const SILENCE = -90 * UNITS_PER_DB

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
const LEAST = 10 ** (SILENCE / UNITS_PER_DB / 10)

/** Units of a factor of 2 in power. */
const UNITS_PER_OCTAVE = 10 * Math.log10(2) * UNITS_PER_DB
/** Levels by the first bits of the fraction of a power in the format of IEEE 754: exact to 0.01 dB. */
const FRACTION_BITS = 9
const FRACTIONS = Float64Array.from(
  { length: 1 << FRACTION_BITS },
  (_, n) => UNITS_PER_OCTAVE * Math.log2(1 + (n + 0.5) / (1 << FRACTION_BITS)),
)
const float = new Float32Array(1)
const bits = new Int32Array(float.buffer)

/** Returns the level of `power` (units; 1 is 0 dBFS), five times as fast as with a logarithm. */
function levelOf(power: number): number {
  float[0] = power
  const whole = bits[0]!
  const fraction = (whole >> (23 - FRACTION_BITS)) & ((1 << FRACTION_BITS) - 1)
  return UNITS_PER_OCTAVE * ((whole >> 23) - 127) + FRACTIONS[fraction]!
}

/** Band levels of one voice, frame by frame: 256 samples at 8 kHz, of which each frame adds 160. */
export class BandLevels {
  readonly #kept = new Float64Array(KEPT)

  /** Resets the history: the next frame does not follow the previous one. */
  reset(): void {
    this.#kept.fill(0)
  }

  /**
   * Writes the levels of `frame` (units) into `out` from `at` on, `BANDS` of them, and if wanted, the powers (1 at 0 dBFS)
   * into `powers`.
   */
  levels(frame: Int16Array, out: Int16Array, at: number, powers?: Float32Array): void {
    this.#load(frame)
    transform()
    for (let band = 0, bin = EDGES[0]!; band < BANDS; band++) {
      const end = EDGES[band + 1]!
      let power = LEAST / SCALE
      for (; bin < end; bin++) power += powerAt(bin)
      power *= SCALE
      out[at + band] = levelOf(power)
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
  // Two steps at a time, which saves a quarter of the multiplications; the last step is alone.
  twoSteps(4)
  twoSteps(16)
  for (let k = 0, b = HALF / 2; b < HALF; k++, b++) {
    const c = COS[2 * k]!
    const s = SIN[2 * k]!
    const re = real[b]! * c + imaginary[b]! * s
    const im = imaginary[b]! * c - real[b]! * s
    real[b] = real[k]! - re
    imaginary[b] = imaginary[k]! - im
    real[k] = real[k]! + re
    imaginary[k] = imaginary[k]! + im
  }
}

/** Combines transforms of `quarter` values into those of four times as many. */
function twoSteps(quarter: number): void {
  const step = SIZE / (4 * quarter)
  for (let k = 0; k < quarter; k++) {
    const c1 = COS[k * step]!
    const s1 = SIN[k * step]!
    const c2 = COS[2 * k * step]!
    const s2 = SIN[2 * k * step]!
    const c3 = c1 * c2 - s1 * s2
    const s3 = s1 * c2 + c1 * s2
    for (let a = k; a < HALF; a += 4 * quarter) {
      const b = a + quarter
      const c = b + quarter
      const d = c + quarter
      const reB = real[b]! * c2 + imaginary[b]! * s2
      const imB = imaginary[b]! * c2 - real[b]! * s2
      const reC = real[c]! * c1 + imaginary[c]! * s1
      const imC = imaginary[c]! * c1 - real[c]! * s1
      const reD = real[d]! * c3 + imaginary[d]! * s3
      const imD = imaginary[d]! * c3 - real[d]! * s3
      const re0 = real[a]! + reB
      const im0 = imaginary[a]! + imB
      const re1 = real[a]! - reB
      const im1 = imaginary[a]! - imB
      const re2 = reC + reD
      const im2 = imC + imD
      const re3 = reC - reD
      const im3 = imC - imD
      real[a] = re0 + re2
      imaginary[a] = im0 + im2
      real[b] = re1 + im3
      imaginary[b] = im1 - re3
      real[c] = re0 - re2
      imaginary[c] = im0 - im2
      real[d] = re1 - im3
      imaginary[d] = im1 + re3
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
