import { SAMPLE_RATE } from '../pcm.ts'

/** A repetition in a voice and its similarity (1: identical, 0: uncorrelated, −1: inverted). */
export interface Repetition {
  /** Distance in samples. */
  after: number
  correlation: number
}

/** Mean square of a window below which it counts as silence: an RMS of 2. */
const SILENT = 4
/** The whole range is searched with every third sample, then the best match is refined with all of them. */
const STRIDE = 3
const AROUND = 2

/**
 * Finds the lag, from `least` to `most` samples, at which the `window` samples at `from` best match those after them
 * (normalized cross-correlation), and writes it into `found`. Silence matches silence. Needs `most + window` samples
 * from `from` on.
 */
export function findPitchPeriod(
  pcm: Int16Array,
  from: number,
  window: number,
  least: number,
  most: number,
  found: Repetition,
): void {
  const here = energy(pcm, from, window)
  found.after = least
  found.correlation = -1
  search(pcm, from, window, STRIDE, here, least, most, found)
  const best = found.after
  found.correlation = -1
  search(pcm, from, window, 1, here, Math.max(least, best - AROUND), Math.min(most, best + AROUND), found)
}

function search(
  pcm: Int16Array,
  from: number,
  window: number,
  stride: number,
  here: number,
  least: number,
  most: number,
  found: Repetition,
): void {
  const silent = SILENT * window
  let there = energy(pcm, from + least, window)
  for (let after = least; after <= most; after++) {
    const at = from + after
    let correlation = -1
    if (here > silent && there > silent) {
      let common = 0
      for (let i = 0; i < window; i += stride) common += pcm[from + i]! * pcm[at + i]!
      correlation = (common * stride) / Math.sqrt(here * there)
    } else if (here <= silent && there <= silent) correlation = 1
    if (correlation > found.correlation) {
      found.correlation = correlation
      found.after = after
    }
    there += pcm[at + window]! ** 2 - pcm[at]! ** 2
  }
}

function energy(pcm: Int16Array, from: number, window: number): number {
  let sum = 0
  for (let i = from; i < from + window; i++) sum += pcm[i]! ** 2
  return sum
}

/** Samples per measurement: 5 ms. */
export const BLOCK = (SAMPLE_RATE * 5) / 1000
/** Maximum level of a pause relative to the loudest recent speech (factor, −25 dB). */
const BELOW_SPEECH = 10 ** (-25 / 20)
/** Level above which audio is never a pause (RMS, −40 dBFS). */
const MOST = 328
/** Level below which audio is always a pause (RMS, −68 dBFS). */
const LEAST = 13
/** Decay of the loudest level per block: 6 dB in five seconds. */
const FORGET = 0.5 ** (1 / 1_000)

/** Detects pauses in speech by their level relative to the voice. */
export class PauseDetector {
  /** RMS of the loudest recent block. */
  #loudest = 0
  /** Maximum mean square of a quiet block. */
  #quiet = LEAST ** 2

  /** Measures the level of the voice: call it once for all audio, in pieces of any length. */
  learn(pcm: Int16Array): void {
    for (let at = 0; at + BLOCK <= pcm.length; at += BLOCK) {
      const level = Math.sqrt(power(pcm, at, at + BLOCK))
      this.#loudest = Math.max(level, this.#loudest * FORGET)
    }
    this.#quiet = Math.min(MOST, Math.max(LEAST, this.#loudest * BELOW_SPEECH)) ** 2
  }

  /** True if `pcm` has no speech from `from` to `to`, a short interval. */
  quiet(pcm: Int16Array, from: number, to: number): boolean {
    return power(pcm, from, to) <= this.#quiet
  }

  /** Returns the end of the pause in `pcm` that includes `from`: the first block that is not quiet, or `to`. */
  end(pcm: Int16Array, from: number, to: number): number {
    let at = from
    while (at + BLOCK <= to && this.quiet(pcm, at, at + BLOCK)) at += BLOCK
    return at
  }
}

/** Mean square. */
function power(pcm: Int16Array, from: number, to: number): number {
  let sum = 0
  for (let i = from; i < to; i++) sum += pcm[i]! ** 2
  return to > from ? sum / (to - from) : 0
}
