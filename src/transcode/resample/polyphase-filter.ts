import { keepWeights, runFir } from './fir.ts'

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
function tapsBeside(width: number): number {
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

/**
 * The filter between one pair of rates: designed for `up` times the input rate and split into `up` phases, of which
 * each output needs one. Shared by all resamplers of the pair.
 */
export interface Polyphase {
  /** Output is input times `up / down`, in lowest terms. */
  readonly up: number
  readonly down: number
  /** Number of samples before a block that its first outputs need. */
  readonly before: number
  /** Delay in output samples: an integer by design. */
  readonly delay: number
  /**
   * Computes the outputs of a block of `count` samples from `position` on, in steps of 1/`up` sample from its first;
   * returns the position of the next one.
   */
  run(position: number, count: number): number
}

const known = new Map<string, Polyphase>()

/**
 * Passes the common bandwidth of both rates except the last tenth (or 600 Hz, if that is more: a narrower transition
 * would cost too much delay for a conversation), without aliasing below it.
 */
export function polyphase(from: number, to: number): Polyphase {
  const key = `${from}→${to}`
  const found = known.get(key)
  if (found) return found

  const common = greatestCommonDivisor(from, to)
  const up = to / common
  const down = from / common
  const rate = from * up
  const low = Math.min(from, to)
  const beside = tapsBeside(Math.max(1200, low / 10) / rate)
  const delay = Math.ceil(beside / down)
  const filter = lowpass(low / 2 / rate, delay * down, up)

  // `up` rows of weights, each in the order of its samples, padded to a multiple of 8.
  const taps = Math.ceil(filter.length / up / 8) * 8
  const weights = new Float32Array(up * taps)
  for (let phase = 0; phase < up; phase++)
    for (let k = 0; phase + k * up < filter.length; k++)
      weights[phase * taps + (taps - 1 - k)] = filter[phase + k * up]!
  const at = keepWeights(weights)
  const run = (position: number, count: number) => runFir(at, up, down, taps, position, count * up)
  const made = { up, down, delay, before: taps - 1, run }
  known.set(key, made)
  return made
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
