import type { Clock } from './clock.ts'
import { MINUTE_MS } from './durations.ts'

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

/** Maximum number of address groups limited separately; all others share one limit. */
const MAX_GROUPS = 10_000
const OTHERS = 'others'

export interface Rate {
  readonly perSecond: number
  /** Maximum burst. */
  readonly burst: number
}

interface Measured {
  readonly bucket: TokenBucket
  usedAt: number
}

/**
 * Rate limits per key, such as an address prefix or a user. Memory is bounded: above `maxGroups`, new keys share one limit.
 */
export class KeyedRateLimiter {
  readonly #clock: Clock
  readonly #rate: Rate
  readonly #maxGroups: number
  /** In the order of their last use. */
  readonly #groups = new Map<string, Measured>()

  constructor(clock: Clock, rate: Rate, maxGroups = MAX_GROUPS) {
    this.#clock = clock
    this.#rate = rate
    this.#maxGroups = maxGroups
  }

  /** Number of active groups. */
  get size(): number {
    return this.#groups.size
  }

  /** Counts one event of `group`. Returns false, without counting, if that exceeds the limit. */
  take(group: string): boolean {
    const now = this.#clock.now()
    this.#forget(now)
    const place = this.#place(group)
    const { perSecond, burst } = this.#rate
    const measured = this.#groups.get(place) ?? {
      bucket: new TokenBucket(perSecond, burst, now),
      usedAt: now,
    }
    measured.usedAt = now
    this.#groups.delete(place)
    this.#groups.set(place, measured)
    return measured.bucket.take(now) >= 0
  }

  /** Returns the time until another event of `group` is within the limit (ms), or 0. */
  waitMs(group: string): number {
    const missing = 1 - (this.#groups.get(this.#place(group))?.bucket.left(this.#clock.now()) ?? 1)
    return missing <= 0 ? 0 : (missing / this.#rate.perSecond) * 1_000
  }

  /** Removes an event counted by mistake. */
  give(group: string): void {
    this.#groups.get(this.#place(group))?.bucket.give()
  }

  /** True if another event of `group` would exceed the limit. */
  full(group: string): boolean {
    const measured = this.#groups.get(this.#place(group))
    return measured !== undefined && measured.bucket.left(this.#clock.now()) < 1
  }

  /** Returns the key that counts `group`. */
  #place(group: string): string {
    return this.#groups.has(group) || this.#groups.size < this.#maxGroups ? group : OTHERS
  }

  /** Removes groups whose buckets are full again. */
  #forget(now: number): void {
    const { perSecond, burst } = this.#rate
    for (const [group, { usedAt }] of this.#groups) {
      if (now - usedAt < (burst / perSecond) * 1_000) return
      this.#groups.delete(group)
    }
  }
}

/** Maximum number of groups that are counted separately; all others share one count. */
const MAX_COUNTED_GROUPS = 10_000

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
export class FailureLimiter {
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

/** Limits requests to a maximum per sliding time window. Callers pass the time. */
export class SlidingWindow {
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
