import type { Kernel } from './kernel.ts'
import { lowpass, tapsBeside } from './lowpass.ts'
import { saturate } from './saturate.ts'

/** The weights of one pair of rates; the same for all its resamplers, so made once and shared. */
interface Bank {
  /** Output is input times `up / down`, in lowest terms. */
  readonly up: number
  readonly down: number
  /** Weights of one phase, a multiple of 4. */
  readonly taps: number
  /** `up` phases of `taps` weights, each in the order of the samples they meet. */
  readonly weights: Float64Array
  /** Of the filter, in output samples: a whole number by design. */
  readonly delay: number
}

const banks = new Map<string, Bank>()

/**
 * Resampling by any ratio of whole numbers: the filter of `up` times the input rate, split into `up` phases, of which
 * each output needs one. No position is ever rounded, so the ratio holds exactly for ever.
 */
export class Polyphase implements Kernel {
  readonly history: number
  readonly delay: number
  #bank: Bank
  /** Where the next output lies, in steps of 1 / up of a sample, counted from the next input sample. */
  #position = 0

  constructor(from: number, to: number) {
    this.#bank = bankOf(from, to)
    this.history = this.#bank.taps - 1
    this.delay = this.#bank.delay
  }

  run(x: Float64Array, count: number, out: Int16Array, start: number): number {
    const { up, down, taps, weights } = this.#bank
    const end = count * up
    const first = this.#position
    const total = first < end ? Math.ceil((end - first) / down) : 0
    this.#position = first + total * down - end
    // Outputs `up` apart share a phase: they lie `down` samples apart and can share each weight as it is read.
    const stride = Math.min(up, total)
    const stop = start + total
    for (let turn = 0; turn < stride; turn++) {
      const position = first + turn * down
      let i = Math.floor(position / up)
      const phase = (position - i * up) * taps
      let at = start + turn
      for (; at + 3 * up < stop; at += 4 * up, i += 4 * down)
        four(x, i, down, weights, phase, taps, out, at, up)
      for (; at < stop; at += up, i += down) out[at] = saturate(one(x, i, weights, phase, taps))
    }
    return stop
  }

  reset(): void {
    this.#position = 0
  }
}

function one(x: Float64Array, i: number, weights: Float64Array, phase: number, taps: number): number {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  for (let k = 0; k < taps; k += 4) {
    a += weights[phase + k]! * x[i + k]!
    b += weights[phase + k + 1]! * x[i + k + 1]!
    c += weights[phase + k + 2]! * x[i + k + 2]!
    d += weights[phase + k + 3]! * x[i + k + 3]!
  }
  return a + b + (c + d)
}

function four(
  x: Float64Array,
  i: number,
  down: number,
  weights: Float64Array,
  phase: number,
  taps: number,
  out: Int16Array,
  at: number,
  up: number,
): void {
  const j = i + down
  const m = j + down
  const n = m + down
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  for (let k = 0; k < taps; k++) {
    const weight = weights[phase + k]!
    a += weight * x[i + k]!
    b += weight * x[j + k]!
    c += weight * x[m + k]!
    d += weight * x[n + k]!
  }
  out[at] = saturate(a)
  out[at + up] = saturate(b)
  out[at + 2 * up] = saturate(c)
  out[at + 3 * up] = saturate(d)
}

/**
 * Passes what both rates can carry but for the last tenth (or 600 Hz, where that is more: a narrower transition would
 * cost more delay than a conversation should pay), and folds nothing back below it.
 */
function bankOf(from: number, to: number): Bank {
  const key = `${from}→${to}`
  const known = banks.get(key)
  if (known) return known

  const common = greatestCommonDivisor(from, to)
  const up = to / common
  const down = from / common
  const rate = from * up
  const low = Math.min(from, to)
  const beside = tapsBeside(Math.max(1200, low / 10) / rate)
  const delay = Math.ceil(beside / down)
  const filter = lowpass(low / 2 / rate, delay * down, up)

  const taps = Math.ceil(filter.length / up / 4) * 4
  const weights = new Float64Array(up * taps)
  for (let phase = 0; phase < up; phase++)
    for (let k = 0; phase + k * up < filter.length; k++)
      weights[phase * taps + (taps - 1 - k)] = filter[phase + k * up]!
  const bank = { up, down, taps, weights, delay }
  banks.set(key, bank)
  return bank
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
