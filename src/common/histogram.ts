/** Histogram with buckets that grow by 10 %: accurate to 5 % for values from 0.1 to over 10 million. */
export class Histogram {
  readonly #buckets = new Uint32Array(256)
  #count = 0
  #sum = 0

  /** Adds one value. A negative value counts as 0; NaN is ignored. */
  record(value: number): void {
    if (Number.isNaN(value)) return
    const at = value <= 0.1 ? 0 : Math.min(255, 1 + Math.floor(Math.log(value / 0.1) / Math.log(1.1)))
    this.#buckets[at]!++
    this.#count++
    this.#sum += Math.max(0, value)
  }

  get count(): number {
    return this.#count
  }

  get sum(): number {
    return this.#sum
  }

  /** Returns the number of values up to `value`, rounded to the nearest bucket boundary. */
  countUpTo(value: number): number {
    const last = value < 0.1 ? -1 : Math.round(Math.log(value / 0.1) / Math.log(1.1))
    let count = 0
    for (let at = 0; at <= last && at < this.#buckets.length; at++) count += this.#buckets[at]!
    return count
  }
}
