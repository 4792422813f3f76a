import type { Clock } from './clock.ts'
import { TokenBucket } from './token-bucket.ts'

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

/** Rate limits per group of addresses. Memory is bounded: above `maxGroups`, new groups share one limit. */
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

  /** Number of active groups. */
  get size(): number {
    return this.#groups.size
  }

  /** Counts one event of `group`. Returns false, without counting, if that exceeds the limit. */
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

  /** Removes an event counted by mistake. */
  give(group: string): void {
    this.#groups.get(group)?.bucket.give()
  }

  /** True if another event of `group` would exceed the limit. */
  full(group: string): boolean {
    const measured = this.#groups.get(group)
    return measured !== undefined && measured.bucket.left(this.#clock.now()) < 1
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
