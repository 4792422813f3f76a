/** The last few peaks and their distribution. */
export class RecentPeaks {
  /** Ring buffer in order of arrival, starting at `#next`. */
  readonly #ring: Uint16Array
  /** The same values in ascending order. */
  readonly #sorted: Uint16Array
  #next = 0
  #count = 0

  /** Keeps `size` peaks. */
  constructor(size: number) {
    this.#ring = new Uint16Array(size)
    this.#sorted = new Uint16Array(size)
  }

  /** Adds a peak, and drops the oldest one when full. */
  add(peak: number): void {
    const { length } = this.#ring
    if (this.#count === length) this.#remove(this.#ring[this.#next]!)
    // Stored as integers, so that the same value is found again.
    this.#ring[this.#next] = peak
    this.#insert(this.#ring[this.#next]!)
    this.#next = (this.#next + 1) % length
  }

  /** Returns the peak that at most one in `every` exceeds; 0 without peaks. */
  exceededByOneIn(every: number): number {
    return this.#sorted[this.#count - 1 - Math.floor(this.#count / every)] ?? 0
  }

  clear(): void {
    this.#count = 0
    this.#next = 0
  }

  #insert(peak: number): void {
    let at = this.#count++
    for (; at > 0 && this.#sorted[at - 1]! > peak; at--) this.#sorted[at] = this.#sorted[at - 1]!
    this.#sorted[at] = peak
  }

  #remove(peak: number): void {
    const at = this.#sorted.indexOf(peak)
    this.#sorted.copyWithin(at, at + 1, this.#count--)
  }
}
