/** Test signals, and measurements of their results. */

/** A sine of `hz` at `rate` Hz, `count` samples long. */
export function sine(hz: number, rate: number, count: number, peak = 30_000, phase = 0.2): Int16Array {
  const pcm = new Int16Array(count)
  for (let i = 0; i < count; i++) pcm[i] = Math.round(peak * Math.sin((2 * Math.PI * hz * i) / rate + phase))
  return pcm
}

/** A voice-like signal: gliding harmonics below 3.4 kHz with syllables and pauses. The same at every rate. */
export function voice(rate: number, seconds: number, seed = 1): Int16Array {
  const pcm = new Int16Array(Math.round(rate * seconds))
  const base = 110 + 17 * seed
  for (let i = 0; i < pcm.length; i++) {
    const t = i / rate
    const syllable = Math.max(0, Math.sin(2 * Math.PI * 2.3 * t + seed)) ** 0.5
    let sum = 0
    for (let harmonic = 1; harmonic * base * 1.2 < 3400; harmonic += 1)
      sum +=
        Math.sin(2 * Math.PI * harmonic * (base * t + 2 * Math.sin(3 * t + seed)) + harmonic * seed) /
        harmonic
    pcm[i] = Math.round(6000 * syllable * sum)
  }
  return pcm
}

/** Reproducible noise from a seed. */
export function noise(count: number, seed = 1): Uint8Array {
  let state = seed >>> 0
  return Uint8Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  })
}

export interface Tone {
  /** Amplitude of the tone. */
  amplitude: number
  /** Phase of the sine at the first sample (radians). */
  phase: number
  /** RMS of the remainder, without its constant part. */
  rest: number
  /** Ratio of tone to remainder (dB). */
  sinad: number
}

/** Fits a sine of `hz` and a constant to `pcm` by least squares. */
export function fitTone(pcm: ArrayLike<number>, hz: number, rate: number): Tone {
  const n = pcm.length
  const cos = Float64Array.from({ length: n }, (_, i) => Math.cos((2 * Math.PI * hz * i) / rate))
  const sin = Float64Array.from({ length: n }, (_, i) => Math.sin((2 * Math.PI * hz * i) / rate))
  const y = centred(Float64Array.from(pcm))
  const c = centred(cos)
  const s = centred(sin)
  const [cc, ss, cs, yc, ys] = [dot(c, c), dot(s, s), dot(c, s), dot(y, c), dot(y, s)]
  const determinant = cc * ss - cs * cs
  const a = (yc * ss - ys * cs) / determinant
  const b = (ys * cc - yc * cs) / determinant
  const rest = y.reduce((sum, value, i) => sum + (value - a * c[i]! - b * s[i]!) ** 2, 0) / n
  return {
    amplitude: Math.hypot(a, b),
    phase: Math.atan2(a, b),
    rest: Math.sqrt(rest),
    sinad: 10 * Math.log10((a * a + b * b) / 2 / rest),
  }
}

function centred(values: Float64Array): Float64Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.map(value => value - mean)
}

function dot(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}

/** Signal-to-difference ratio in dB for an `other` that should equal `pcm`, over the shorter length. */
export function snr(pcm: ArrayLike<number>, other: ArrayLike<number>, from = 0, to = Infinity): number {
  let signal = 0
  let difference = 0
  for (let i = from; i < Math.min(to, pcm.length, other.length); i++) {
    signal += pcm[i]! ** 2
    difference += (pcm[i]! - other[i]!) ** 2
  }
  return difference === 0 ? Infinity : 10 * Math.log10(signal / difference)
}

/** Lag of `other` relative to `pcm` in samples, with the best correlation (1: same shape). */
export function lagOf(
  pcm: Int16Array,
  other: Int16Array,
  most: number,
): { lag: number; correlation: number } {
  let best = { lag: 0, correlation: -2 }
  for (let lag = -most; lag <= most; lag++) {
    let ab = 0
    let aa = 0
    let bb = 0
    for (let i = most; i < Math.min(pcm.length, other.length) - most; i++) {
      const a = pcm[i]!
      const b = other[i + lag]!
      ab += a * b
      aa += a * a
      bb += b * b
    }
    const correlation = ab / Math.sqrt(aa * bb)
    if (correlation > best.correlation) best = { lag, correlation }
  }
  return best
}

export const decibels = (ratio: number): number => 20 * Math.log10(ratio)
