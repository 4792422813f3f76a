import type { Clock } from './clock.ts'

const MINUTE_MS = 60_000
/** Groups of addresses that are counted each on its own; all others are counted together. */
const MAX_GROUPS = 10_000
const OTHERS = 'others'

/** Failures that are not forgiven yet, and when that was counted. */
interface Debt {
  readonly failures: number
  readonly at: number
}

/**
 * Counts failed attempts by group of addresses. Each may fail `perMinute` times at once and then as often a minute. What
 * is refused meanwhile is not counted, so that somebody who goes on trying is let in again when the wait is over.
 * Memory is bounded: beyond `maxGroups` those who come new share one count, and nobody's count is forgotten early.
 */
export class AttemptLimit {
  readonly #clock: Clock
  readonly #perMinute: number
  readonly #maxGroups: number
  /** In the order of their last failures. */
  readonly #debts = new Map<string, Debt>()

  constructor(clock: Clock, perMinute: number, maxGroups = MAX_GROUPS) {
    this.#clock = clock
    this.#perMinute = perMinute
    this.#maxGroups = maxGroups
  }

  /** Groups that are being counted. */
  get size(): number {
    return this.#debts.size
  }

  /** How long `group` has to wait before its next attempt; 0 when it may try now. */
  waitMs(group: string): number {
    const over = this.#owed(this.#place(group)) - (this.#perMinute - 1)
    // A rounding error is no reason to wait.
    return over <= 1e-9 ? 0 : (over * MINUTE_MS) / this.#perMinute
  }

  /** Counts a failed attempt of `group`. */
  failed(group: string): void {
    const place = this.#place(group)
    const failures = this.#owed(place) + 1
    this.#debts.delete(place)
    this.#debts.set(place, { failures, at: this.#clock.now() })
  }

  /** Where `group` is counted, after those who owe nothing any more were forgotten. */
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
