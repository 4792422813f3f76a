import { saturate } from '../saturate.ts'

/** Buffer capacity in samples: 256 ms. */
const CAPACITY = 4_096

/**
 * A delay line whose next samples are known. A piece can be removed from it with a crossfade, so that it does not
 * click. Owns its memory and allocates nothing after construction.
 */
export class LookAhead {
  /** Buffered samples are between `start` and `end`. */
  readonly pcm = new Int16Array(CAPACITY)
  start = 0
  end = 0
  #gone = 0

  /** Number of buffered samples. */
  get length(): number {
    return this.end - this.start
  }

  /** Free space in samples. */
  get room(): number {
    return CAPACITY - this.length
  }

  /** Number of samples taken or removed in total. */
  get gone(): number {
    return this.#gone
  }

  /** Adds a copy of `pcm`. Throws RangeError if there is no room for it. */
  append(pcm: Int16Array): void {
    if (pcm.length > this.room)
      throw new RangeError(`the buffer has room for ${this.room} samples, got ${pcm.length}`)
    if (this.end + pcm.length > CAPACITY) {
      this.pcm.copyWithin(0, this.start, this.end)
      this.end -= this.start
      this.start = 0
    }
    this.pcm.set(pcm, this.end)
    this.end += pcm.length
  }

  /** Moves up to `count` samples into `out` from `at` on; returns their number. */
  take(out: Int16Array, at: number, count: number): number {
    const { pcm, start } = this
    const most = Math.min(count, this.length)
    for (let i = 0; i < most; i++) out[at + i] = pcm[start + i]!
    this.start += most
    this.#gone += most
    return most
  }

  /**
   * Removes the next `count` samples, with a crossfade over the `fade` samples that follow. `likeness` (−1 to 1) is the
   * similarity of both sides; it keeps the level constant during the crossfade. Needs `count + fade` samples.
   */
  leaveOut(count: number, fade: number, likeness: number): void {
    if (count + fade > this.length)
      throw new RangeError(`removing ${count} samples needs ${count + fade}, got ${this.length}`)
    const { pcm, start } = this
    const unlike = Math.min(1, 1 - likeness)
    // From back to front: positions already written are not read again.
    for (let i = fade - 1; i >= 0; i--) {
      const into = (i + 0.5) / fade
      const power = 1 - 2 * into * (1 - into) * unlike
      const mixed = pcm[start + i]! * (1 - into) + pcm[start + count + i]! * into
      pcm[start + count + i] = saturate(mixed / Math.sqrt(power))
    }
    this.start += count
    this.#gone += count
  }

  /** Drops all buffered samples. */
  clear(): void {
    this.#gone += this.length
    this.start = 0
    this.end = 0
  }
}
