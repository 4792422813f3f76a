/**
 * Low-pass filter design for every resampler: windowed sinc with a Kaiser window (J. F. Kaiser, "Nonrecursive digital
 * filter design using the I0-sinh window function", 1974).
 */

/** Design attenuation (dB), five above the documented value because of ripple. */
const ATTENUATION = 85
const BETA = 0.1102 * (ATTENUATION - 8.7)

/** Modified Bessel function of the first kind and order zero, by its power series. */
function bessel0(x: number): number {
  let sum = 1
  let term = 1
  for (let k = 1; term > 1e-18 * sum; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}

/** The Kaiser window at `position`, -1 to 1. */
function kaiser(position: number): number {
  return bessel0(BETA * Math.sqrt(Math.max(0, 1 - position * position))) / bessel0(BETA)
}

/**
 * Returns the number of taps on each side of the center for a transition `width` (cycles per sample), by Kaiser's
 * estimate.
 */
export function tapsBeside(width: number): number {
  return Math.ceil((ATTENUATION - 7.95) / (2.285 * 4 * Math.PI * width))
}

/**
 * Returns a symmetric low-pass of `2 * beside + 1` taps with the center of its transition at `cutoff` (cycles per
 * sample, below 0.5), scaled to a gain of `gain` at 0 Hz.
 */
export function lowpass(cutoff: number, beside: number, gain: number): Float64Array {
  const taps = new Float64Array(2 * beside + 1)
  let sum = 0
  for (let i = 0; i < taps.length; i++) {
    const x = i - beside
    const sinc = x === 0 ? 2 * cutoff : Math.sin(2 * Math.PI * cutoff * x) / (Math.PI * x)
    taps[i] = sinc * kaiser(x / (beside + 1))
    sum += taps[i]!
  }
  for (let i = 0; i < taps.length; i++) taps[i]! *= gain / sum
  return taps
}
