import type { Quota, QuotaTerms, Slots } from '../../../src/core/model/fleet.ts'

/** Leased units of all nodes, by scope and period. */
export type Leases = Map<string, number>

/** A quota that leases chunks from a shared count, each after a turn of the event loop’s microtasks. */
export class HubQuota implements Quota {
  readonly ready: Promise<void>
  readonly #scope: string
  readonly #terms: QuotaTerms
  readonly #leases: Leases
  readonly #reachable: () => boolean
  #period: string
  #left = 0
  #leasing: Promise<void> | undefined

  constructor(scope: string, terms: QuotaTerms, leases: Leases, reachable: () => boolean) {
    this.#scope = scope
    this.#terms = terms
    this.#leases = leases
    this.#reachable = reachable
    this.#period = terms.period()
    this.ready = this.#lease()
  }

  get left(): number {
    this.#turn()
    return this.#left
  }

  get used(): number {
    this.#turn()
    return this.#leased - this.#left
  }

  take(units: number): boolean {
    this.#turn()
    const taken = units <= this.#left
    if (taken) this.#left -= units
    if (this.#left <= this.#terms.chunk / 2) void this.#lease()
    return taken
  }

  giveBack(units: number): void {
    this.#turn()
    this.#left += units
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leasing
    this.#turn()
    if (!this.#reachable()) return
    this.#leases.set(this.#key, this.#leased - this.#left)
    this.#left = 0
  }

  get #key(): string {
    return `${this.#scope} ${this.#period}`
  }

  get #leased(): number {
    return this.#leases.get(this.#key) ?? 0
  }

  #lease(): Promise<void> {
    this.#leasing ??= Promise.resolve().then(() => {
      this.#leasing = undefined
      if (!this.#reachable()) return
      const units = Math.min(this.#terms.chunk, this.#terms.limit - this.#leased)
      this.#leases.set(this.#key, this.#leased + units)
      this.#left += units
    })
    return this.#leasing
  }

  #turn(): void {
    const period = this.#terms.period()
    if (period === this.#period) return
    this.#period = period
    this.#left = 0
  }
}

/** Slots in use, by scope and incarnation. */
export type SlotsInUse = Map<string, Map<string, number>>

export interface HubSlotsOptions {
  readonly scope: string
  readonly limit: number
  readonly incarnation: string
  readonly inUse: SlotsInUse
  /** Rejects while the fleet is unavailable. */
  readonly reach: () => Promise<void>
}

export function hubSlots({ scope, limit, incarnation, inUse, reach }: HubSlotsOptions): Slots {
  const counts = inUse.get(scope) ?? new Map<string, number>()
  inUse.set(scope, counts)
  return {
    async take() {
      await reach()
      const taken = Array.from(counts.values()).reduce((sum, each) => sum + each, 0)
      if (taken >= limit) return false
      counts.set(incarnation, (counts.get(incarnation) ?? 0) + 1)
      return true
    },
    async release() {
      counts.set(incarnation, Math.max(0, (counts.get(incarnation) ?? 0) - 1))
    },
  }
}
