import type { Clock } from '../../../common/clock.ts'

/** Consecutive failures that start the cooldown. */
const FAILURES = 3

/** Pauses an engine after repeated failures, or after one that would be repeated, so that another engine serves. */
export class FailureCooldown {
  readonly #clock: Clock
  readonly #ms: number
  #failures = 0
  #until = Number.NEGATIVE_INFINITY

  /** `ms`: length of the cooldown. */
  constructor(clock: Clock, ms: number) {
    this.#clock = clock
    this.#ms = ms
  }

  /** True during the cooldown. */
  get active(): boolean {
    return this.#clock.now() < this.#until
  }

  succeeded(): void {
    this.#failures = 0
  }

  /** Counts a failure. `final`: another attempt would fail as well. */
  failed({ final = false } = {}): void {
    if (!final && ++this.#failures < FAILURES) return
    this.#failures = 0
    this.#until = this.#clock.now() + this.#ms
  }

  /** Starts a cooldown of `ms` at once: for a quota, which does not return in a moment. */
  rest(ms: number): void {
    this.#until = Math.max(this.#until, this.#clock.now() + ms)
  }
}
