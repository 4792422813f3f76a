/** A token bucket: limits events or amounts to a steady rate with bursts. Each call passes the time. */
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

  /** Returns the tokens available at `now`. */
  left(now: number): number {
    this.#left = Math.min(this.#burst, this.#left + (now - this.#at) * this.#perMs)
    this.#at = now
    return this.#left
  }

  /** Takes `amount` tokens, all or none; returns the remaining tokens, or -1 if there were not enough. */
  take(now: number, amount = 1): number {
    if (this.left(now) < amount) return -1
    this.#left -= amount
    return this.#left
  }

  /** Returns unused tokens. */
  give(amount = 1): void {
    this.#left = Math.min(this.#burst, this.#left + amount)
  }
}
