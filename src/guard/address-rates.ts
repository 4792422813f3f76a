import type { Clock } from '../core/clock.ts'
import { TokenBucket } from '../core/token-bucket.ts'

/** Groups of addresses that are measured each on its own; all others are measured together. */
const MAX_GROUPS = 10_000
const OTHERS = 'others'

export interface Rate {
  readonly perSecond: number
  /** So many at once. */
  readonly burst: number
}

interface Measured {
  readonly bucket: TokenBucket
  usedAt: number
}

/** A rate for each group of addresses. Memory is bounded: beyond `maxGroups` those who come new share one. */
export class AddressRates {
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

  /** Groups that are being measured. */
  get size(): number {
    return this.#groups.size
  }

  /** Counts one of `group`; false: it was one too many, and was not counted. */
  take(group: string): boolean {
    const now = this.#clock.now()
    this.#forget(now)
    const place = this.#groups.has(group) || this.#groups.size < this.#maxGroups ? group : OTHERS
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

  /** One that was counted should not have been. */
  give(group: string): void {
    this.#groups.get(group)?.bucket.give()
  }

  /** Whether one more of `group` would be too many. */
  full(group: string): boolean {
    const measured = this.#groups.get(group)
    return measured !== undefined && measured.bucket.left(this.#clock.now()) < 1
  }

  /** Those whose buckets are full again by now. */
  #forget(now: number): void {
    const { perSecond, burst } = this.#rate
    for (const [group, { usedAt }] of this.#groups) {
      if (now - usedAt < (burst / perSecond) * 1_000) return
      this.#groups.delete(group)
    }
  }
}
