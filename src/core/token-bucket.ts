/** Measures events or amounts against a steady rate with room for a burst. Time comes with each call. */
export class TokenBucket {
  readonly #perMs: number
  readonly #burst: number
  #left: number
  #at: number

  /** Full at `now` (ms): `burst` passes at once, then `perSecond`. */
  constructor(perSecond: number, burst: number, now: number) {
    this.#perMs = perSecond / 1000
    this.#burst = burst
    this.#left = burst
    this.#at = now
  }

  /** What could be taken at `now`. */
  left(now: number): number {
    this.#left = Math.min(this.#burst, this.#left + (now - this.#at) * this.#perMs)
    this.#at = now
    return this.#left
  }

  /** Takes `amount`, all or nothing; returns what is left after it, or -1 if there was not enough. */
  take(now: number, amount = 1): number {
    if (this.left(now) < amount) return -1
    this.#left -= amount
    return this.#left
  }

  /** Puts back what was taken for nothing. */
  give(amount = 1): void {
    this.#left = Math.min(this.#burst, this.#left + amount)
  }
}
