/** At most so many requests in any stretch of so many milliseconds. Time comes with each call. */
export class RateWindow {
  readonly #most: number
  readonly #windowMs: number
  /** When the last ones were made, oldest first. */
  #times: number[] = []

  constructor(most: number, windowMs: number) {
    this.#most = most
    this.#windowMs = windowMs
  }

  take(now: number): void {
    this.#times.push(now)
    if (this.#times.length > this.#most) this.#times.shift()
  }

  /** When the next request may be made that leaves `spare` of the window to others; `now` if at once. */
  freeAt(now: number, spare = 0): number {
    const counts = this.#times[this.#times.length - (this.#most - spare)]
    return counts === undefined ? now : Math.max(now, counts + this.#windowMs)
  }
}
