import { keepWeights } from './fir.ts'
import { lowpass, tapsBeside } from './lowpass.ts'

/**
 * The filter between one pair of rates: that of `up` times the input rate, split into `up` phases, of which each output
 * needs one. The same for all resamplers of the pair, so made once and kept.
 */
export interface Polyphase {
  /** Output is input times `up / down`, in lowest terms. */
  readonly up: number
  readonly down: number
  /** Weights of one phase: a multiple of 8. */
  readonly taps: number
  /** Where they are: `up` phases of `taps` weights, each in the order of the samples they meet. */
  readonly weights: number
  /** By how many output samples the output lags: a whole number by design. */
  readonly delay: number
}

const known = new Map<string, Polyphase>()

/**
 * Passes what both rates can carry but for the last tenth (or 600 Hz, where that is more: a narrower transition would
 * cost more delay than a conversation should pay), and folds nothing back below it.
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

  const taps = Math.ceil(filter.length / up / 8) * 8
  const weights = new Float32Array(up * taps)
  for (let phase = 0; phase < up; phase++)
    for (let k = 0; phase + k * up < filter.length; k++)
      weights[phase * taps + (taps - 1 - k)] = filter[phase + k * up]!
  const made = { up, down, taps, weights: keepWeights(weights), delay }
  known.set(key, made)
  return made
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
