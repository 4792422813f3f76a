import { z } from 'zod'
import { type Clock, pause } from '../common/clock.ts'
import { parseJsonAs } from '../common/json.ts'
import type { NodeIdentity, Quota, QuotaTerms, Slots } from '../core/model/fleet.ts'
import { away, ignoreAway, type KeyValueStore, WriteConflict } from './key-value-store.ts'

/** Attempts to change an entry that others change at the same time. */
const ATTEMPTS = 50
/** Pause before another attempt: up to this much longer each time (ms). */
const PAUSE_MS = 5
/** Pause before another request for units of an exhausted quota (ms). */
const EXHAUSTED_MS = 1_000
/** Tolerance for rounding errors in sums of money. */
const TINY = 1e-9

/** Units of a quota leased by all nodes together. */
const leasedSchema = z.object({ leased: z.number() })
/** Slots taken, by node and incarnation. */
const takenSchema = z.record(z.string().max(80), z.int().min(0))

export interface LimitOptions {
  readonly store: KeyValueStore
  readonly clock: Clock
  /** In [0, 1). */
  readonly random: () => number
}

/**
 * Changes one value of `store` by compare-and-set until no one else has changed it meanwhile. `change` returns the new
 * value, or undefined to leave it. Rejects with `FLEET_AWAY`; it is then unknown whether the value was changed.
 */
async function update<T>(
  { store, clock, random }: LimitOptions,
  key: string,
  schema: z.ZodType<T>,
  change: (value: T | undefined) => T | undefined,
): Promise<T | undefined> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const stored = await store.get(key)
    const value = stored?.value === undefined ? undefined : parseJsonAs(stored.value, schema)
    const next = change(value)
    if (next === undefined) return value
    try {
      await store.write(key, JSON.stringify(next), stored?.revision ?? 0)
      return next
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error
      await pause(clock, random() * PAUSE_MS * attempt)
    }
  }
  throw away('the entry is changed too often')
}

/**
 * A quota whose units are leased in chunks by compare-and-set, so that all nodes together never lease more than the
 * limit. `take` uses the lease without waiting; the next chunk is requested when half of one remains. Units whose lease
 * is in doubt count as spent.
 */
export class StoreQuota implements Quota {
  readonly ready: Promise<void>
  readonly #options: LimitOptions
  readonly #scope: string
  readonly #terms: QuotaTerms
  #period: string
  #left = 0
  #leasedByAll = 0
  #leasing: Promise<void> | undefined
  #exhaustedUntil = Number.NEGATIVE_INFINITY

  /** `scope` is a key of the store. */
  constructor(scope: string, terms: QuotaTerms, options: LimitOptions) {
    this.#scope = scope
    this.#terms = terms
    this.#options = options
    this.#period = terms.period()
    this.ready = this.#refill()
  }

  get left(): number {
    this.#startPeriod()
    return this.#left
  }

  get used(): number {
    this.#startPeriod()
    return Math.max(0, this.#leasedByAll - this.#left)
  }

  take(units: number): boolean {
    this.#startPeriod()
    if (this.#left - units < this.#terms.chunk / 2) void this.#refill(units)
    if (this.#left + TINY < units) return false
    this.#left -= units
    return true
  }

  giveBack(units: number): void {
    this.#left += units
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leasing
    const back = this.#left
    this.#left = 0
    if (back > 0) await this.#lease(-back).catch(ignoreAway)
  }

  #startPeriod(): void {
    const period = this.#terms.period()
    if (period === this.#period) return
    this.#period = period
    this.#left = 0
    this.#leasedByAll = 0
    this.#exhaustedUntil = Number.NEGATIVE_INFINITY
    void this.#refill()
  }

  /** Never rejects. */
  #refill(needed = 0): Promise<void> {
    if (this.#options.clock.now() < this.#exhaustedUntil) return Promise.resolve()
    this.#leasing ??= this.#lease(Math.max(this.#terms.chunk, needed))
      .catch((error: unknown) => {
        // Not at once again: every `take` would ask.
        this.#exhaustedUntil = this.#options.clock.now() + EXHAUSTED_MS
        ignoreAway(error)
      })
      .finally(() => {
        this.#leasing = undefined
      })
    return this.#leasing
  }

  async #lease(units: number): Promise<void> {
    const period = this.#period
    const { limit } = this.#terms
    let got = 0
    const now = await update(this.#options, `${this.#scope}.${period}`, leasedSchema, value => {
      const leased = value?.leased ?? 0
      got = units < 0 ? units : Math.min(units, Math.max(0, limit - leased))
      return got === 0 ? undefined : { leased: leased + got }
    })
    if (period !== this.#period) return
    this.#leasedByAll = now?.leased ?? 0
    if (got > 0) this.#left += got
    else if (units > 0) this.#exhaustedUntil = this.#options.clock.now() + EXHAUSTED_MS
  }
}

export interface SlotOptions extends LimitOptions {
  readonly self: NodeIdentity
  /** Returns whether an incarnation can still use its slots. */
  readonly isAlive: (identity: NodeIdentity) => boolean
}

/** Slots counted by node and incarnation in one entry of a store; those of ended nodes do not count. */
export class StoreSlots implements Slots {
  readonly #key: string
  readonly #limit: number
  readonly #options: SlotOptions

  /** `key` is a key of the store. */
  constructor(key: string, limit: number, options: SlotOptions) {
    this.#key = key
    this.#limit = limit
    this.#options = options
  }

  async take(): Promise<boolean> {
    let taken = false
    await update(this.#options, this.#key, takenSchema, value => {
      const alive = this.#alive(value ?? {})
      const all = Object.values(alive).reduce((sum, count) => sum + count, 0)
      taken = all < this.#limit
      return taken ? { ...alive, [this.#own]: (alive[this.#own] ?? 0) + 1 } : undefined
    })
    return taken
  }

  async release(): Promise<void> {
    try {
      await update(this.#options, this.#key, takenSchema, value => {
        const count = value?.[this.#own] ?? 0
        if (count === 0) return undefined
        const { [this.#own]: _own, ...others } = this.#alive(value ?? {})
        return count === 1 ? others : { ...others, [this.#own]: count - 1 }
      })
    } catch (error) {
      ignoreAway(error)
    }
  }

  get #own(): string {
    const { node, incarnation } = this.#options.self
    return `${node} ${incarnation}`
  }

  #alive(taken: z.infer<typeof takenSchema>): z.infer<typeof takenSchema> {
    return Object.fromEntries(
      Object.entries(taken).filter(([key]) => {
        const [node = '', incarnation = ''] = key.split(' ')
        return key === this.#own || this.#options.isAlive({ node, incarnation })
      }),
    )
  }
}
