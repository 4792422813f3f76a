import { SAMPLE_RATE } from './pcm.ts'

/** Samples that are looked at together: 5 ms. */
export const BLOCK = (SAMPLE_RATE * 5) / 1000
/** What is this much softer than the loudest of the last seconds is no speech (factor, −25 dB). */
const BELOW_SPEECH = 10 ** (-25 / 20)
/** … but nothing louder than this is ever called quiet (RMS, −40 dBFS) … */
const MOST = 328
/** … and everything softer than this is (RMS, −68 dBFS). */
const LEAST = 13
/** How fast the loudest is forgotten, per block: 6 dB in five seconds. */
const FORGET = 0.5 ** (1 / 1_000)

/** Tells pauses from speech by level, against how loud the voice itself has been. */
export class PauseDetector {
  /** RMS of the loudest block of late. */
  #loudest = 0
  /** Mean square up to which a block is quiet. */
  #quiet = LEAST ** 2

  /** Learns how loud the voice is: all of it, once, in pieces of any length. */
  learn(pcm: Int16Array): void {
    for (let at = 0; at + BLOCK <= pcm.length; at += BLOCK) {
      const level = Math.sqrt(power(pcm, at, at + BLOCK))
      this.#loudest = Math.max(level, this.#loudest * FORGET)
    }
    this.#quiet = Math.min(MOST, Math.max(LEAST, this.#loudest * BELOW_SPEECH)) ** 2
  }

  /** Whether `pcm` has no speech from `from` to `to`, which are not far apart. */
  quiet(pcm: Int16Array, from: number, to: number): boolean {
    return power(pcm, from, to) <= this.#quiet
  }

  /** Where in `pcm`, from `from` on, the pause ends: at the first block that is not quiet, or at `to`. */
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
