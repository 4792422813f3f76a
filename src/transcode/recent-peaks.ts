/** The last few peaks of something, and how they are spread. */
export class RecentPeaks {
  /** In the order they came, from `#next` on round about. */
  readonly #ring: Uint16Array
  /** The same from the smallest to the largest. */
  readonly #sorted: Uint16Array
  #next = 0
  #count = 0

  /** Remembers `size` of them. */
  constructor(size: number) {
    this.#ring = new Uint16Array(size)
    this.#sorted = new Uint16Array(size)
  }

  /** Forgets the oldest if there are too many. */
  add(peak: number): void {
    const { length } = this.#ring
    if (this.#count === length) this.#remove(this.#ring[this.#next]!)
    // As whole numbers, so that they are found again.
    this.#ring[this.#next] = peak
    this.#insert(this.#ring[this.#next]!)
    this.#next = (this.#next + 1) % length
  }

  /** The peak that one in `every` of them exceeds, at most; 0 if there are none. */
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
