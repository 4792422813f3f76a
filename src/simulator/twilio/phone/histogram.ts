const BUCKET_MS = 0.25
const BUCKETS = 2000

/** A distribution of milliseconds in fixed memory: quarters of a millisecond up to 500 ms, the maximum exact. */
export class Histogram {
  #buckets: Uint32Array | undefined
  #count = 0
  #sum = 0
  #max = 0

  get count(): number {
    return this.#count
  }

  /** 0 if nothing was added. */
  get maxMs(): number {
    return this.#max
  }

  get meanMs(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count
  }

  /** Negative values count as 0. */
  add(ms: number): void {
    const value = Math.max(0, ms)
    this.#buckets ??= new Uint32Array(BUCKETS)
    const index = Math.min(BUCKETS - 1, Math.floor(value / BUCKET_MS))
    this.#buckets[index] = (this.#buckets[index] ?? 0) + 1
    this.#count++
    this.#sum += value
    if (value > this.#max) this.#max = value
  }

  /** Adds all values of `other`. */
  merge(other: Histogram): void {
    if (!other.#buckets) return
    this.#buckets ??= new Uint32Array(BUCKETS)
    for (let i = 0; i < BUCKETS; i++) this.#buckets[i] = (this.#buckets[i] ?? 0) + (other.#buckets[i] ?? 0)
    this.#count += other.#count
    this.#sum += other.#sum
    this.#max = Math.max(this.#max, other.#max)
  }

  /**
   * Returns the smallest value that at least `share` (0–1) of all values do not exceed, to a quarter of a millisecond;
   * 0 if empty.
   */
  quantile(share: number): number {
    if (!this.#buckets) return 0
    let rest = Math.max(1, Math.ceil(share * this.#count))
    for (let i = 0; i < BUCKETS - 1; i++) {
      rest -= this.#buckets[i] ?? 0
      if (rest <= 0) return Math.min(this.#max, (i + 1) * BUCKET_MS)
    }
    return this.#max
  }

  toJSON(): { count: number; meanMs: number; p50Ms: number; p99Ms: number; maxMs: number } {
    const { count, meanMs, maxMs } = this
    return { count, meanMs, p50Ms: this.quantile(0.5), p99Ms: this.quantile(0.99), maxMs }
  }
}
