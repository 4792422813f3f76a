/** Limits requests to a maximum per sliding time window. Callers pass the time. */
export class RateWindow {
  readonly #most: number
  readonly #windowMs: number
  /** Times of the latest requests, oldest first. */
  #times: number[] = []

  constructor(most: number, windowMs: number) {
    this.#most = most
    this.#windowMs = windowMs
  }

  take(now: number): void {
    this.#times.push(now)
    if (this.#times.length > this.#most) this.#times.shift()
  }

  /** Returns the earliest time for a request that leaves `spare` of the window free; `now` if immediately. */
  freeAt(now: number, spare = 0): number {
    const counts = this.#times[this.#times.length - (this.#most - spare)]
    return counts === undefined ? now : Math.max(now, counts + this.#windowMs)
  }
}
