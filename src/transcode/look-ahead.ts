import { saturate } from './saturate.ts'

/** Samples kept at most: 256 ms. */
const CAPACITY = 4_096

/**
 * Samples on their way through, of which the next ones are known. A piece may be left out of them: what stood before it
 * fades into what stands behind it, so that nothing clicks. Owns its memory; nothing is allocated after it was made.
 */
export class LookAhead {
  /** The samples that wait are those from `start` to `end`. */
  readonly pcm = new Int16Array(CAPACITY)
  start = 0
  end = 0
  #gone = 0

  /** Samples that wait. */
  get length(): number {
    return this.end - this.start
  }

  /** Samples that still fit. */
  get room(): number {
    return CAPACITY - this.length
  }

  /** Samples that went out or were left out, ever. */
  get gone(): number {
    return this.#gone
  }

  /** Adds a copy of `pcm`. Throws RangeError if there is no room for it. */
  append(pcm: Int16Array): void {
    if (pcm.length > this.room)
      throw new RangeError(`there is room for ${this.room} samples, got ${pcm.length}`)
    if (this.end + pcm.length > CAPACITY) {
      this.pcm.copyWithin(0, this.start, this.end)
      this.end -= this.start
      this.start = 0
    }
    this.pcm.set(pcm, this.end)
    this.end += pcm.length
  }

  /** Moves `count` samples, or as many as there are, into `out` from `at` on; gives how many. */
  take(out: Int16Array, at: number, count: number): number {
    const { pcm, start } = this
    const most = Math.min(count, this.length)
    for (let i = 0; i < most; i++) out[at + i] = pcm[start + i]!
    this.start += most
    this.#gone += most
    return most
  }

  /**
   * Leaves out the next `count` samples; over the `fade` samples that follow, they fade into what comes then.
   * `likeness` (−1 to 1) is how alike the two are: it keeps the level while they are mixed.
   * Needs `count + fade` samples.
   */
  leaveOut(count: number, fade: number, likeness: number): void {
    if (count + fade > this.length)
      throw new RangeError(`to leave out ${count} samples takes ${count + fade}, there are ${this.length}`)
    const { pcm, start } = this
    const unlike = Math.min(1, 1 - likeness)
    // From behind, as what is written first is not read any more.
    for (let i = fade - 1; i >= 0; i--) {
      const into = (i + 0.5) / fade
      const power = 1 - 2 * into * (1 - into) * unlike
      const mixed = pcm[start + i]! * (1 - into) + pcm[start + count + i]! * into
      pcm[start + count + i] = saturate(mixed / Math.sqrt(power))
    }
    this.start += count
    this.#gone += count
  }

  /** Drops everything that waits. */
  clear(): void {
    this.#gone += this.length
    this.start = 0
    this.end = 0
  }
}
