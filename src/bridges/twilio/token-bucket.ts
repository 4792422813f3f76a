/** Counts events against a steady rate with room for a burst. Time comes with each call. */
export class TokenBucket {
  readonly #perMs: number
  readonly #burst: number
  #left: number
  #at: number

  /** Full at `now` (ms): `burst` events pass at once, then `perSecond`. */
  constructor(perSecond: number, burst: number, now: number) {
    this.#perMs = perSecond / 1000
    this.#burst = burst
    this.#left = burst
    this.#at = now
  }

  /** Takes one; returns how many whole ones are left after it, or -1 if there was none to take. */
  take(now: number): number {
    this.#left = Math.min(this.#burst, this.#left + (now - this.#at) * this.#perMs)
    this.#at = now
    if (this.#left < 1) return -1
    this.#left -= 1
    return Math.floor(this.#left)
  }
}
