import type { Clock } from '../../../common/clock.ts'
import type { WallClock } from '../../../common/wall-clock.ts'
import { type DayLedger, DayUsage, type UsageScope } from '../day-usage.ts'
import type { FleetUsage } from '../fleet-usage.ts'
import type { OutboundSettings } from './settings.ts'

/** Lead time for hanging up before the minute that would exceed a ceiling (ms), since hanging up takes a moment. */
const AHEAD_MS = 3_000
/** Lead time for leasing a minute from the fleet (ms), so that a chunk that arrives late is tried again. */
const LEASE_AHEAD_MS = 30_000
/** Tolerance for rounding errors in sums of prices. */
const TINY = 1e-6

/** Ceilings of one day; absent means unlimited. Money is in the currency of `prices`, which are per minute. */
export type UsageLimits = Pick<
  OutboundSettings,
  | 'maxMinutesPerDay'
  | 'maxMinutesPerNumber'
  | 'maxMinutesPerKey'
  | 'maxSpendPerDay'
  | 'maxSpendPerNumber'
  | 'maxSpendPerKey'
  | 'prices'
>

interface Scope extends UsageScope {
  readonly maxMinutes: number
  readonly maxSpend: number
}

/**
 * Limits today’s minutes and cost of outbound calls: in total, per number and per key. Usage of what has a ceiling also
 * goes to the ledger, which can outlive this process. In a fleet, each minute is also leased from the quotas of all
 * nodes.
 */
export class CallUsage {
  readonly #limits: UsageLimits
  readonly #usage: DayUsage<Scope>
  readonly #fleet: FleetUsage | undefined

  /** `fleet`: the limits apply to all its nodes. The caller keeps ownership. */
  constructor(
    limits: UsageLimits,
    clock: Clock,
    wallClock: WallClock,
    ledger?: DayLedger,
    fleet?: FleetUsage,
  ) {
    this.#limits = limits
    this.#fleet = fleet
    this.#usage = new DayUsage({ clock, wallClock, ledger })
  }

  /** Minutes used today, including calls in progress. */
  get minutes(): number {
    return this.#usage.used('all').minutes
  }

  /** Money spent today at the configured prices; 0 without prices. */
  get spend(): number {
    return this.#usage.used('all').spend
  }

  /**
   * Returns the minutes available for a new call to `to`, requested with key `by`. 0: the call is not allowed.
   * Infinity: no limit.
   */
  left(to: string, by?: string): number {
    const price = this.#priceOf(to)
    const left = this.#scopesOf(to, by).map(({ name, limited, maxMinutes, maxSpend }) => {
      if (limited && !this.#usage.known) return 0
      const { minutes, spend } = this.#usage.used(name)
      // Without a price, the cost cannot be checked.
      const affordable = Number.isFinite(maxSpend)
        ? (maxSpend - spend + TINY) / (price ?? Number.POSITIVE_INFINITY)
        : Number.POSITIVE_INFINITY
      return Math.min(maxMinutes - minutes, Math.floor(affordable))
    })
    return Math.max(0, Math.min(...left))
  }

  /**
   * Leases the first minute of call `id` from the fleet. Resolves to the minutes that remain for it, including this one; 0:
   * the call is not allowed. Infinity: no limit.
   */
  async lease(id: string, to: string, by?: string): Promise<number> {
    const limited = this.#scopesOf(to, by).filter(scope => scope.limited)
    return (await this.#fleet?.open(id, limited, this.#priceOf(to))) ?? Number.POSITIVE_INFINITY
  }

  /** Records the placement of call `id` to `to`, requested with key `by`. */
  placed(id: string, to: string, by?: string): void {
    this.#usage.start(id, this.#scopesOf(to, by), this.#priceOf(to))
  }

  /** Records that it was answered: it costs from now on. */
  pickedUp(id: string): void {
    this.#usage.answer(id)
  }

  /** Records its end; unanswered calls are free. */
  over(id: string): void {
    const call = this.#usage.running.get(id)
    this.#fleet?.close(id, call?.since === undefined ? 0 : this.#usage.minutesOf(call))
    this.#usage.end(id)
  }

  /** Writes the usage of calls in progress to the ledger. Called once a second while there are any. */
  note(): void {
    this.#usage.note()
  }

  /** Returns the calls that must end now, because their next minute would exceed a ceiling. */
  exceeding(): string[] {
    return this.#fleet ? this.#withoutLease(this.#fleet) : this.#aboveLimits()
  }

  /** Leases the next minutes, and returns the calls whose next minute could not be leased. Older calls come first. */
  #withoutLease(fleet: FleetUsage): string[] {
    const ending: string[] = []
    for (const [id, call] of this.#usage.running) {
      if (fleet.reach(id, this.#usage.minutesOf(call, LEASE_AHEAD_MS))) continue
      const due = this.#usage.minutesOf(call, AHEAD_MS)
      if (!fleet.covers(id, due) && !fleet.reach(id, due)) ending.push(id)
    }
    return ending
  }

  #aboveLimits(): string[] {
    const ending = new Set<string>()
    const newest = [...this.#usage.running].reverse()
    for (const [, { scopes }] of newest)
      for (const { name, maxMinutes, maxSpend } of scopes) {
        const { minutes, spend } = this.#usage.used(name, call => (ending.has(call) ? 0 : AHEAD_MS))
        let [minutesOver, spendOver] = [minutes - maxMinutes, spend - maxSpend]
        for (const [id, call] of newest) {
          if (minutesOver <= 0 && spendOver <= TINY) break
          const more = this.#usage.minutesOf(call, AHEAD_MS) - this.#usage.minutesOf(call)
          if (more === 0 || ending.has(id) || !call.scopes.some(each => each.name === name)) continue
          ending.add(id)
          minutesOver -= more
          spendOver -= more * call.price
        }
      }
    return [...ending]
  }

  #scopesOf(to: string, by: string | undefined): Scope[] {
    const { maxMinutesPerDay, maxMinutesPerNumber, maxMinutesPerKey } = this.#limits
    const { maxSpendPerDay, maxSpendPerNumber, maxSpendPerKey } = this.#limits
    const scope = (
      name: string,
      maxMinutes = Number.POSITIVE_INFINITY,
      maxSpend = Number.POSITIVE_INFINITY,
    ) => ({
      name,
      limited: Number.isFinite(maxMinutes) || Number.isFinite(maxSpend),
      maxMinutes,
      maxSpend,
    })
    return [
      scope('all', maxMinutesPerDay, maxSpendPerDay),
      scope(`number ${to}`, maxMinutesPerNumber, maxSpendPerNumber),
      ...(by === undefined ? [] : [scope(`key ${by}`, maxMinutesPerKey, maxSpendPerKey)]),
    ]
  }

  #priceOf(to: string): number | undefined {
    const { prices = {} } = this.#limits
    const [prefix] = Object.keys(prices)
      .filter(each => to.startsWith(each))
      .sort((a, b) => b.length - a.length)
    return prefix === undefined ? undefined : prices[prefix]
  }
}
