/** Quietest that is counted, as what is under it is no speech (dBFS). */
const FLOOR_DB = -48
/** Steps of 1 dB from the floor up to full scale. */
const BINS = 48
/** Blocks this far under the mean of all counted are pauses (dB), some 28 under the loudest. */
const GATE_DB = 18
const FULL_SCALE = 32_768

/**
 * How loud somebody speaks: the level of the blocks that are speech, pauses left out (gated RMS). It keeps a histogram,
 * so that a pause, a click or a silent beginning does not spoil it.
 */
export class SpeechLevel {
  readonly #blocks = new Float64Array(BINS)
  readonly #powers = new Float64Array(BINS)
  #count = 0

  /** Blocks counted so far. */
  get count(): number {
    return this.#count
  }

  /** Counts one block of `meanSquare` (sample units, squared). */
  add(meanSquare: number): void {
    const db = 10 * Math.log10(meanSquare / FULL_SCALE ** 2)
    if (!(db > FLOOR_DB)) return
    const bin = Math.min(BINS - 1, Math.floor(db - FLOOR_DB))
    this.#blocks[bin]! += 1
    this.#powers[bin]! += meanSquare
    this.#count += 1
  }

  /** Mean square of what is speech; 0 before anything was counted. */
  get power(): number {
    const all = this.#mean(0)
    if (all === 0) return 0
    const gate = 10 * Math.log10(all / FULL_SCALE ** 2) - GATE_DB - FLOOR_DB
    return this.#mean(Math.max(0, Math.floor(gate)))
  }

  /** Lets what was counted weigh no more than `blocks` blocks: what comes now counts for more. */
  fade(blocks: number): void {
    if (this.#count <= blocks) return
    const part = blocks / this.#count
    for (let bin = 0; bin < BINS; bin++) {
      this.#blocks[bin]! *= part
      this.#powers[bin]! *= part
    }
    this.#count = blocks
  }

  #mean(from: number): number {
    let blocks = 0
    let power = 0
    for (let bin = from; bin < BINS; bin++) {
      blocks += this.#blocks[bin]!
      power += this.#powers[bin]!
    }
    return blocks > 0 ? power / blocks : 0
  }
}
