/** Minimum level that counts as speech (dBFS). */
const FLOOR_DB = -48
/** Number of 1 dB steps from the floor to full scale. */
const BINS = 48
/** Level below the mean at which blocks count as pauses (dB), about 28 below the loudest. */
const GATE_DB = 18
const FULL_SCALE = 32_768

/**
 * Measures the loudness of speech: the RMS of blocks with speech, without pauses (gated RMS). It keeps a histogram, so
 * that a pause, a click or a silent start does not distort it.
 */
export class SpeechLevel {
  readonly #blocks = new Float64Array(BINS)
  readonly #powers = new Float64Array(BINS)
  #count = 0

  /** Number of blocks counted. */
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

  /** Mean square of the speech blocks; 0 before any block was counted. */
  get power(): number {
    const all = this.#mean(0)
    if (all === 0) return 0
    const gate = 10 * Math.log10(all / FULL_SCALE ** 2) - GATE_DB - FLOOR_DB
    return this.#mean(Math.max(0, Math.floor(gate)))
  }

  /** Reduces the weight of earlier blocks to that of `blocks` blocks, so that new ones count more. */
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
