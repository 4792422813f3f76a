import { SAMPLE_RATE } from '../pcm.ts'

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
