// Levels of the frequency bands of a voice: the arithmetic of `BandLevels` in src/transcode/echo/band-levels.ts, four values
// at a time.

/** Bands, and the values of a row of levels: three vectors of eight, the last value of which is unused. */
export const BANDS: i32 = 23
export const ROW: i32 = 24
/** Bytes of a row of levels. */
export const ROW_BYTES: i32 = ROW * 2
/** Units per dB, and the level of silence (−90 dBFS). */
export const UNITS: i32 = 256
export const SILENCE: i32 = -90 * UNITS

/** Samples of a frame at 16 kHz. */
const FRAME: i32 = 320
/** Samples of a transform at 8 kHz: those kept from earlier frames, and those of the new one. */
const SIZE: i32 = 256
const HALF: i32 = SIZE / 2
const HOP: i32 = FRAME / 2
const KEPT: i32 = SIZE - HOP
/** Power of silence, and of a full-scale sine. */
const LEAST: f32 = 1e-9
const SCALE: f32 = 1 / (((SIZE / 4) * 32768) as f32) / (((SIZE / 4) * 32768) as f32)
/** Units of a factor of 2 in power. */
const OCTAVE: f32 = 770.6367

/** Input: a frame of 16-bit samples. */
const INPUT = memory.data(FRAME * 2, 16)
/** The samples of the transform; later the power of each of its bins. */
const SAMPLES = memory.data(SIZE * 4, 16)
const RE = memory.data(HALF * 4, 16)
const IM = memory.data(HALF * 4, 16)
/** Powers of the bands. */
const POWERS = memory.data(ROW * 4, 16)
/**
 * Tables, written once by the caller, 32-bit floats one after another: the window; cosine and sine of each bin; then the
 * factors of the passes of the transform: cosine and sine of one, two and three steps, of 4 and of 16 values, and cosine
 * and sine of 64 values.
 */
const WINDOW = memory.data((SIZE + 2 * HALF + 6 * 4 + 6 * 16 + 2 * 64) * 4, 16)
const COS = WINDOW + SIZE * 4
const SIN = COS + HALF * 4
const PASS4 = SIN + HALF * 4
const PASS16 = PASS4 + 6 * 4 * 4
const PASS64 = PASS16 + 6 * 16 * 4
/** First bin of each band, and the end of the last one (bins of 31.25 Hz). */
const EDGES = memory.data<u8>([
  6, 9, 12, 15, 18, 21, 24, 27, 31, 35, 39, 43, 47, 51, 55, 60, 65, 70, 76, 82, 88, 95, 103, 112,
])
/** Place of each group of four after the first pass: the bits of its number in reverse. */
const REVERSED = memory.data<u8>([0, 4, 2, 6, 1, 5, 3, 7])

export function input(): i32 {
  return INPUT as i32
}

export function tables(): i32 {
  return WINDOW as i32
}

/**
 * Writes the levels of the frame at `input()` (a row of units) to `levels` and, unless it is 0, the powers of its bands
 * (a row of 32-bit floats, 1 is 0 dBFS) to `powers`. `history` holds the previous samples (96 32-bit floats).
 */
export function measure(history: usize, levels: usize, powers: usize): void {
  append(history)
  firstPass()
  pass4()
  pass16()
  lastPass()
  powersOfBins()
  for (let band: i32 = 0, bin: i32 = 6; band < BANDS; band++) {
    const end = load<u8>(EDGES + band + 1) as i32
    let sum: f32 = 0
    for (; bin < end; bin++) sum += load<f32>(SAMPLES + (bin << 2))
    store<f32>(POWERS + (band << 2), sum * SCALE + LEAST)
  }
  store<f32>(POWERS + (BANDS << 2), LEAST)
  for (let n: i32 = 0; n < ROW; n += 8) {
    const low = v128.load(POWERS + (n << 2))
    const high = v128.load(POWERS + (n << 2), 16)
    v128.store(levels + (n << 1), i16x8.narrow_i32x4_s(levelsOf(low), levelsOf(high)))
    if (powers === 0) continue
    v128.store(powers + (n << 2), low)
    v128.store(powers + (n << 2), high, 16)
  }
}

/** Levels of four powers (units, whole), from the exponent and a polynomial for the fraction: exact to 0.04 units. */
function levelsOf(power: v128): v128 {
  const one = f32x4.splat(1)
  const exponent = f32x4.convert_i32x4_s(i32x4.sub(i32x4.shr_u(power, 23), i32x4.splat(127)))
  const fraction = f32x4.sub(v128.or(v128.and(power, i32x4.splat(0x7fffff)), i32x4.splat(0x3f800000)), one)
  let sum = f32x4.splat(-0.04584151)
  sum = f32x4.add(f32x4.mul(sum, fraction), f32x4.splat(0.15202092))
  sum = f32x4.add(f32x4.mul(sum, fraction), f32x4.splat(-0.27016007))
  sum = f32x4.add(f32x4.mul(sum, fraction), f32x4.splat(0.44245418))
  sum = f32x4.mul(sum, f32x4.mul(fraction, f32x4.sub(one, fraction)))
  const log = f32x4.add(exponent, f32x4.add(fraction, sum))
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(log, f32x4.splat(OCTAVE))))
}

/** Halves the rate of the input, and appends it to the history. */
function append(history: usize): void {
  for (let n: i32 = 0; n < KEPT * 4; n += 16) v128.store(SAMPLES + n, v128.load(history + n))
  const ones = i16x8.splat(1)
  const half = f32x4.splat(0.5)
  for (let n: i32 = 0; n < HOP * 4; n += 16) {
    // Four sums of two neighbors each.
    const pairs = i32x4.dot_i16x8_s(v128.load(INPUT + n), ones)
    v128.store(SAMPLES + KEPT * 4 + n, f32x4.mul(f32x4.convert_i32x4_s(pairs), half))
  }
  for (let n: i32 = 0; n < KEPT * 4; n += 16) v128.store(history + n, v128.load(SAMPLES + HOP * 4 + n))
}

/** Windowed even samples `4n`, `4n + 2`, … as four values; the odd ones with `odd`. */
function windowed(n: i32): v128 {
  return f32x4.mul(v128.load(SAMPLES + (n << 2)), v128.load(WINDOW + (n << 2)))
}

/** The first two steps, whose factors are trivial: pairs of samples in, groups of four out, in bit-reversed order. */
function firstPass(): void {
  for (let q: i32 = 0; q < 8; q++) {
    const n = q << 3
    // Pairs n/2 … n/2 + 3 of each quarter: even samples are the real parts, odd ones the imaginary parts.
    let a = windowed(n)
    let b = windowed(n + 4)
    const re0 = v128.shuffle<f32>(a, b, 0, 2, 4, 6)
    const im0 = v128.shuffle<f32>(a, b, 1, 3, 5, 7)
    a = windowed(n + 64)
    b = windowed(n + 68)
    const re2 = v128.shuffle<f32>(a, b, 0, 2, 4, 6)
    const im2 = v128.shuffle<f32>(a, b, 1, 3, 5, 7)
    a = windowed(n + 128)
    b = windowed(n + 132)
    const re1 = v128.shuffle<f32>(a, b, 0, 2, 4, 6)
    const im1 = v128.shuffle<f32>(a, b, 1, 3, 5, 7)
    a = windowed(n + 192)
    b = windowed(n + 196)
    const re3 = v128.shuffle<f32>(a, b, 0, 2, 4, 6)
    const im3 = v128.shuffle<f32>(a, b, 1, 3, 5, 7)
    const sumRe = f32x4.add(re0, re1)
    const sumIm = f32x4.add(im0, im1)
    const offRe = f32x4.sub(re0, re1)
    const offIm = f32x4.sub(im0, im1)
    const sum2Re = f32x4.add(re2, re3)
    const sum2Im = f32x4.add(im2, im3)
    const off2Re = f32x4.sub(re2, re3)
    const off2Im = f32x4.sub(im2, im3)
    const at = (load<u8>(REVERSED + q) as i32) << 4
    groups(
      RE + at,
      f32x4.add(sumRe, sum2Re),
      f32x4.add(offRe, off2Im),
      f32x4.sub(sumRe, sum2Re),
      f32x4.sub(offRe, off2Im),
    )
    groups(
      IM + at,
      f32x4.add(sumIm, sum2Im),
      f32x4.sub(offIm, off2Re),
      f32x4.sub(sumIm, sum2Im),
      f32x4.add(offIm, off2Re),
    )
  }
}

/** Stores four groups of four, each with one value of `a` to `d`, at `to` and at its reversed neighbors. */
function groups(to: usize, a: v128, b: v128, c: v128, d: v128): void {
  const ab0 = v128.shuffle<f32>(a, b, 0, 4, 1, 5)
  const ab1 = v128.shuffle<f32>(a, b, 2, 6, 3, 7)
  const cd0 = v128.shuffle<f32>(c, d, 0, 4, 1, 5)
  const cd1 = v128.shuffle<f32>(c, d, 2, 6, 3, 7)
  v128.store(to, v128.shuffle<f32>(ab0, cd0, 0, 1, 4, 5))
  v128.store(to + 16 * 16, v128.shuffle<f32>(ab0, cd0, 2, 3, 6, 7))
  v128.store(to + 8 * 16, v128.shuffle<f32>(ab1, cd1, 0, 1, 4, 5))
  v128.store(to + 24 * 16, v128.shuffle<f32>(ab1, cd1, 2, 3, 6, 7))
}

/** Two steps for four transforms each: `by` is the distance of their values in bytes, `factors` holds `by / 4` of each. */
function twoSteps(at: i32, by: i32, factors: usize): void {
  const c1 = v128.load(factors)
  const s1 = v128.load(factors + by)
  const c2 = v128.load(factors + 2 * by)
  const s2 = v128.load(factors + 3 * by)
  const c3 = v128.load(factors + 4 * by)
  const s3 = v128.load(factors + 5 * by)
  const re = RE + at
  const im = IM + at
  const reA = v128.load(re)
  const imA = v128.load(im)
  let x = v128.load(re + by)
  let y = v128.load(im + by)
  const reB = f32x4.add(f32x4.mul(x, c2), f32x4.mul(y, s2))
  const imB = f32x4.sub(f32x4.mul(y, c2), f32x4.mul(x, s2))
  x = v128.load(re + 2 * by)
  y = v128.load(im + 2 * by)
  const reC = f32x4.add(f32x4.mul(x, c1), f32x4.mul(y, s1))
  const imC = f32x4.sub(f32x4.mul(y, c1), f32x4.mul(x, s1))
  x = v128.load(re + 3 * by)
  y = v128.load(im + 3 * by)
  const reD = f32x4.add(f32x4.mul(x, c3), f32x4.mul(y, s3))
  const imD = f32x4.sub(f32x4.mul(y, c3), f32x4.mul(x, s3))
  const re0 = f32x4.add(reA, reB)
  const im0 = f32x4.add(imA, imB)
  const re1 = f32x4.sub(reA, reB)
  const im1 = f32x4.sub(imA, imB)
  const re2 = f32x4.add(reC, reD)
  const im2 = f32x4.add(imC, imD)
  const re3 = f32x4.sub(reC, reD)
  const im3 = f32x4.sub(imC, imD)
  v128.store(re, f32x4.add(re0, re2))
  v128.store(im, f32x4.add(im0, im2))
  v128.store(re + by, f32x4.add(re1, im3))
  v128.store(im + by, f32x4.sub(im1, re3))
  v128.store(re + 2 * by, f32x4.sub(re0, re2))
  v128.store(im + 2 * by, f32x4.sub(im0, im2))
  v128.store(re + 3 * by, f32x4.sub(re1, im3))
  v128.store(im + 3 * by, f32x4.add(im1, re3))
}

function pass4(): void {
  for (let at: i32 = 0; at < HALF * 4; at += 64) twoSteps(at, 16, PASS4)
}

function pass16(): void {
  for (let k: i32 = 0; k < 64; k += 16) {
    twoSteps(k, 64, PASS16 + k)
    twoSteps(k + 256, 64, PASS16 + k)
  }
}

function lastPass(): void {
  for (let k: i32 = 0; k < 256; k += 16) {
    const c = v128.load(PASS64 + k)
    const s = v128.load(PASS64 + k, 256)
    const x = v128.load(RE + k, 256)
    const y = v128.load(IM + k, 256)
    const re = f32x4.add(f32x4.mul(x, c), f32x4.mul(y, s))
    const im = f32x4.sub(f32x4.mul(y, c), f32x4.mul(x, s))
    const reA = v128.load(RE + k)
    const imA = v128.load(IM + k)
    v128.store(RE + k, f32x4.add(reA, re))
    v128.store(IM + k, f32x4.add(imA, im))
    v128.store(RE + k, f32x4.sub(reA, re), 256)
    v128.store(IM + k, f32x4.sub(imA, im), 256)
  }
}

/** Four values in reverse order. */
function reversed(v: v128): v128 {
  return v128.shuffle<f32>(v, v, 3, 2, 1, 0)
}

/** Powers of bins 4 to 115 of the 256 samples, from the transform of their pairs, into `SAMPLES`. */
function powersOfBins(): void {
  const half = f32x4.splat(0.5)
  for (let bin: i32 = 4; bin < 116; bin += 4) {
    const at = bin << 2
    const opposite = (HALF - 3 - bin) << 2
    const re = v128.load(RE + at)
    const im = v128.load(IM + at)
    const mirrorRe = reversed(v128.load(RE + opposite))
    const mirrorIm = reversed(v128.load(IM + opposite))
    const cos = v128.load(COS + at)
    const sin = v128.load(SIN + at)
    const evenRe = f32x4.add(re, mirrorRe)
    const evenIm = f32x4.sub(im, mirrorIm)
    const oddRe = f32x4.add(im, mirrorIm)
    const oddIm = f32x4.sub(mirrorRe, re)
    const sumRe = f32x4.mul(half, f32x4.add(evenRe, f32x4.add(f32x4.mul(oddRe, cos), f32x4.mul(oddIm, sin))))
    const sumIm = f32x4.mul(half, f32x4.add(evenIm, f32x4.sub(f32x4.mul(oddIm, cos), f32x4.mul(oddRe, sin))))
    v128.store(SAMPLES + at, f32x4.add(f32x4.mul(sumRe, sumRe), f32x4.mul(sumIm, sumIm)))
  }
}
