import type { Clock } from './clock.ts'

const MINUTE_MS = 60_000
/** Maximum number of groups that are counted separately; all others share one count. */
const MAX_COUNTED_GROUPS = 10_000
const OTHERS = 'others'

/** Remaining failures, and the time at which they were counted. */
interface Debt {
  readonly failures: number
  readonly at: number
}

/**
 * Limits failed attempts per address group: a burst of `perMinute` failures, then the same number per minute. Rejected
 * attempts are not counted, so a client that keeps retrying is accepted when the wait is over. Memory is bounded: beyond
 * `maxGroups`, new groups share one count, and existing counts never expire early.
 */
export class AttemptLimit {
  readonly #clock: Clock
  readonly #perMinute: number
  readonly #maxGroups: number
  /** Ordered by last failure. */
  readonly #debts = new Map<string, Debt>()

  constructor(clock: Clock, perMinute: number, maxGroups = MAX_COUNTED_GROUPS) {
    this.#clock = clock
    this.#perMinute = perMinute
    this.#maxGroups = maxGroups
  }

  /** Number of groups being counted. */
  get size(): number {
    return this.#debts.size
  }

  /** Returns the time until `group` can try again (ms), or 0. */
  waitMs(group: string): number {
    const over = this.#owed(this.#place(group)) - (this.#perMinute - 1)
    // Ignore rounding errors.
    return over <= 1e-9 ? 0 : (over * MINUTE_MS) / this.#perMinute
  }

  /** Records a failed attempt of `group`. */
  failed(group: string): void {
    const place = this.#place(group)
    const failures = this.#owed(place) + 1
    this.#debts.delete(place)
    this.#debts.set(place, { failures, at: this.#clock.now() })
  }

  /** Returns the key that counts `group`, after expired counts were removed. */
  #place(group: string): string {
    for (const [place, { at }] of this.#debts) {
      if (this.#clock.now() - at < MINUTE_MS) break
      this.#debts.delete(place)
    }
    return this.#debts.has(group) || this.#debts.size < this.#maxGroups ? group : OTHERS
  }

  #owed(place: string): number {
    const debt = this.#debts.get(place)
    if (!debt) return 0
    return Math.max(0, debt.failures - ((this.#clock.now() - debt.at) * this.#perMinute) / MINUTE_MS)
  }
}
