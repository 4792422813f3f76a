import { DAY_MS } from '../../common/durations.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { Fleet, Quota } from '../../core/model/fleet.ts'

/** Shares of a limit in which nodes lease it. */
const CHUNKS = 50
/** Units of money: ten thousandths, since quotas are counted in whole units. */
const MONEY_UNITS = 10_000
/** Tolerance for rounding errors in sums of prices. */
const TINY = 1e-6

/** A name with its limits per day (UTC) for all nodes. Infinity: no limit. */
export interface LimitedScope {
  readonly name: string
  readonly maxMinutes: number
  readonly maxSpend: number
}

/** A quota that calls of this node use. */
interface OpenQuota {
  readonly quota: Quota
  readonly chunk: number
  /** Calls that use it. */
  calls: number
  /** Units used without a lease while the fleet was unavailable, at most a chunk. */
  owed: number
}

/** The use of a quota by a minute of a call. */
interface Demand {
  readonly scope: string
  readonly limit: number
  readonly units: number
}

interface LeasedCall {
  readonly demands: readonly Demand[]
  /** Leased minutes. */
  minutes: number
  /** The day of the last lease: units of another day cannot be given back. */
  day: string
}

/**
 * Minutes and money that the calls of all nodes can use in a day. A node counts a minute only out of its leased chunk, so
 * that all nodes together stay within the limits. While the fleet is unavailable, calls in progress can use one more chunk.
 */
export class FleetUsage implements AsyncDisposable {
  readonly #fleet: Fleet
  readonly #wallClock: WallClock
  readonly #quotas = new Map<string, OpenQuota>()
  readonly #calls = new Map<string, LeasedCall>()

  constructor(fleet: Fleet, wallClock: WallClock) {
    this.#fleet = fleet
    this.#wallClock = wallClock
  }

  /**
   * Leases the first minute of call `id` from all `scopes`; a minute costs `price`. Resolves to the minutes that remain for
   * the call, including this one; 0: the call is not allowed and takes nothing.
   */
  async open(id: string, scopes: readonly LimitedScope[], price = 0): Promise<number> {
    const demands = scopes.flatMap(scope => this.#demandsOf(scope, price))
    const quotas = demands.map(demand => this.#open(demand))
    await Promise.all(quotas.map(({ quota }) => quota.ready))
    const taken: Demand[] = []
    for (const [at, demand] of demands.entries())
      if (quotas[at]!.quota.take(demand.units) || (await this.#takeMore(demand))) taken.push(demand)
    if (taken.length < demands.length) {
      for (const { scope, units } of taken) this.#quotas.get(scope)?.quota.giveBack(units)
      for (const { scope } of demands) this.#close(scope)
      return 0
    }
    this.#calls.set(id, { demands, minutes: 1, day: this.#day() })
    const left = demands.map(
      ({ units, limit }, at) => Math.floor((limit - quotas[at]!.quota.used) / units) + 1,
    )
    return Math.min(Number.POSITIVE_INFINITY, ...left)
  }

  /** Leases minutes of call `id`, up to `minutes` in total. Returns false if they are not available now. */
  reach(id: string, minutes: number): boolean {
    const call = this.#calls.get(id)
    if (!call) return true
    const more = minutes - call.minutes
    if (more <= 0) return true
    const taken: Demand[] = []
    for (const demand of call.demands) {
      if (!this.#take(demand, demand.units * more)) break
      taken.push(demand)
    }
    if (taken.length === call.demands.length) {
      call.minutes = minutes
      call.day = this.#day()
      return true
    }
    for (const { scope, units } of taken) this.#quotas.get(scope)?.quota.giveBack(units * more)
    return false
  }

  /** Returns true if call `id` has leased `minutes`, or is not limited. */
  covers(id: string, minutes: number): boolean {
    return (this.#calls.get(id)?.minutes ?? Number.POSITIVE_INFINITY) >= minutes
  }

  /** Call `id` has ended after `minutes`; 0: it was not answered. Gives the rest back. */
  close(id: string, minutes: number): void {
    const call = this.#calls.get(id)
    if (!call) return
    this.#calls.delete(id)
    const unused = call.day === this.#day() ? Math.max(0, call.minutes - minutes) : 0
    for (const { scope, units } of call.demands) {
      const open = this.#quotas.get(scope)
      if (open) this.#giveBack(open, units * unused)
      this.#close(scope)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const quotas = Array.from(this.#quotas.values())
    this.#quotas.clear()
    this.#calls.clear()
    await Promise.all(quotas.map(({ quota }) => quota[Symbol.asyncDispose]()))
  }

  #demandsOf({ name, maxMinutes, maxSpend }: LimitedScope, price: number): Demand[] {
    const key = this.#fleet.digest(name)
    const units = Math.ceil(price * MONEY_UNITS - TINY)
    const spend = Math.floor(maxSpend * MONEY_UNITS + TINY)
    return [
      ...(Number.isFinite(maxMinutes) ? [{ scope: `minutes ${key}`, limit: maxMinutes, units: 1 }] : []),
      ...(Number.isFinite(maxSpend) && units > 0 ? [{ scope: `spend ${key}`, limit: spend, units }] : []),
    ]
  }

  #open(demand: Demand): OpenQuota {
    const { scope } = demand
    const open = this.#quotas.get(scope) ?? {
      quota: this.#quota(demand),
      chunk: chunkOf(demand),
      calls: 0,
      owed: 0,
    }
    open.calls++
    this.#quotas.set(scope, open)
    return open
  }

  /** Gives the rest of the chunk back when no call uses the quota. */
  #close(scope: string): void {
    const open = this.#quotas.get(scope)
    if (!open || --open.calls > 0) return
    this.#quotas.delete(scope)
    this.#settle(open)
    void open.quota[Symbol.asyncDispose]()
  }

  /** Leases units for a new call although the current chunk is used up and the next one has not arrived. */
  async #takeMore(demand: Demand): Promise<boolean> {
    await using more = this.#quota(demand)
    await more.ready
    return more.take(demand.units)
  }

  #take({ scope }: Demand, units: number): boolean {
    const open = this.#quotas.get(scope)
    if (!open) return false
    this.#settle(open)
    if (open.quota.take(units)) return true
    if (this.#fleet.status !== 'away' || open.owed + units > open.chunk) return false
    open.owed += units
    return true
  }

  #giveBack(open: OpenQuota, units: number): void {
    const owed = Math.min(open.owed, units)
    open.owed -= owed
    if (units > owed) open.quota.giveBack(units - owed)
  }

  /** Leases what was used while the fleet was unavailable. */
  #settle(open: OpenQuota): void {
    if (open.owed > 0 && open.quota.take(open.owed)) open.owed = 0
  }

  #quota(demand: Demand): Quota {
    const { scope, limit } = demand
    return this.#fleet.quota(scope, { limit, chunk: chunkOf(demand), period: () => this.#day() })
  }

  #day(): string {
    return `day ${Math.floor(this.#wallClock() / DAY_MS)}`
  }
}

function chunkOf({ limit, units }: Demand): number {
  return Math.max(1, units, Math.floor(limit / CHUNKS))
}
