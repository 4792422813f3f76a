import type { Clock } from '../../../common/clock.ts'
import type { WallClock } from '../../../common/wall-clock.ts'
import type { OutboundSettings } from './settings.ts'

/** Usage under one name. */
export interface Used {
  readonly minutes: number
  /** Cost, if a price is set. */
  readonly spend: number
}

export const NOTHING: Used = { minutes: 0, spend: 0 }

/**
 * Persists the usage of each day (UTC), so that spending limits survive restarts. Each run stores its own totals; `earlier`
 * returns the totals of earlier runs and of other processes.
 */
export interface DayLedger {
  /** False if today's earlier usage is unknown; nothing can be spent then. */
  readonly known: boolean
  /** Returns today's usage by other runs. */
  earlier(name: string): Used
  /** Stores today's usage by this run, including calls in progress. Replaces the previous value of `name`. */
  note(name: string, used: Used): void
}

/** Keeps nothing: usage is lost when the process ends. */
export const forgetfulLedger: DayLedger = { known: true, earlier: () => NOTHING, note() {} }

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Lead time for hanging up before the minute that would exceed a ceiling (ms), since hanging up takes a moment. */
const AHEAD_MS = 3_000
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

/** A call in progress. */
interface Running {
  readonly to: string
  readonly price: number
  readonly scopes: readonly Scope[]
  /** Time of the answer (clock ms); absent: it is ringing and counts as one minute. */
  since?: number
}

interface Scope {
  readonly name: string
  readonly maxMinutes: number
  readonly maxSpend: number
}

/**
 * Tracks today’s cost of outbound calls: in total, per number and per key. Each call counts from its answer in whole
 * minutes, as carriers bill it. Days are UTC; a call counts for the day on which it ends. Figures for ceilings also
 * go to the ledger, which can outlive this process.
 */
export class CallUsage {
  readonly #limits: UsageLimits
  readonly #clock: Clock
  readonly #wall: WallClock
  readonly #ledger: DayLedger
  readonly #running = new Map<string, Running>()
  readonly #used = new Map<string, Used>()
  #day: number

  constructor(limits: UsageLimits, clock: Clock, wall: WallClock, ledger: DayLedger = forgetfulLedger) {
    this.#limits = limits
    this.#ledger = ledger
    this.#clock = clock
    this.#wall = wall
    this.#day = this.#today()
  }

  /** Minutes used today, including calls in progress. */
  get minutes(): number {
    return this.#of('all').minutes
  }

  /** Money spent today at the configured prices; 0 without prices. */
  get spend(): number {
    return this.#of('all').spend
  }

  /**
   * Returns the minutes available for a new call to `to`, requested with key `by`. 0: the call is not allowed.
   * Infinity: no limit.
   */
  left(to: string, by?: string): number {
    const price = this.#priceOf(to)
    const left = this.#scopesOf(to, by).map(scope => {
      const { name, maxMinutes, maxSpend } = scope
      if (isCeiling(scope) && !this.#ledger.known) return 0
      const { minutes, spend } = this.#of(name)
      // Without a price, the cost cannot be checked.
      const affordable = Number.isFinite(maxSpend)
        ? (maxSpend - spend + TINY) / (price ?? Number.POSITIVE_INFINITY)
        : Number.POSITIVE_INFINITY
      return Math.min(maxMinutes - minutes, Math.floor(affordable))
    })
    return Math.max(0, Math.min(...left))
  }

  /** Records the placement of call `id` to `to`, requested with key `by`. */
  placed(id: string, to: string, by?: string): void {
    const scopes = this.#scopesOf(to, by)
    this.#running.set(id, { to, price: this.#priceOf(to) ?? 0, scopes })
    this.#note(scopes)
  }

  /** Records that it was answered: it costs from now on. */
  pickedUp(id: string): void {
    const call = this.#running.get(id)
    if (call) call.since ??= this.#clock.now()
  }

  /** Records its end; unanswered calls are free. */
  over(id: string): void {
    const call = this.#running.get(id)
    this.#running.delete(id)
    if (!call) return
    if (call.since === undefined) {
      this.#note(call.scopes)
      return
    }
    this.#turn()
    const minutes = this.#minutesOf(call)
    for (const { name } of call.scopes) {
      const used = this.#used.get(name) ?? { minutes: 0, spend: 0 }
      this.#used.set(name, {
        minutes: used.minutes + minutes,
        spend: used.spend + minutes * call.price,
      })
    }
    this.#note(call.scopes)
  }

  /** Writes the usage of calls in progress to the ledger. Called once a second while there are any. */
  note(): void {
    const scopes = new Map<string, Scope>()
    for (const call of this.#running.values()) for (const scope of call.scopes) scopes.set(scope.name, scope)
    this.#note([...scopes.values()])
  }

  /** Returns the calls that must end now, because their next minute would exceed a ceiling. */
  exceeding(): string[] {
    const ending = new Set<string>()
    const newest = [...this.#running].reverse()
    for (const [, { scopes }] of newest)
      for (const { name, maxMinutes, maxSpend } of scopes) {
        const { minutes, spend } = this.#of(name, call => (ending.has(call) ? 0 : AHEAD_MS))
        let [minutesOver, spendOver] = [minutes - maxMinutes, spend - maxSpend]
        for (const [id, call] of newest) {
          if (minutesOver <= 0 && spendOver <= TINY) break
          const more = this.#minutesOf(call, AHEAD_MS) - this.#minutesOf(call)
          if (more === 0 || ending.has(id) || !call.scopes.some(each => each.name === name)) continue
          ending.add(id)
          minutesOver -= more
          spendOver -= more * call.price
        }
      }
    return [...ending]
  }

  #of(scope: string, aheadMs?: (id: string) => number): Used {
    const own = this.#own(scope, aheadMs)
    const earlier = this.#ledger.earlier(scope)
    return { minutes: earlier.minutes + own.minutes, spend: earlier.spend + own.spend }
  }

  #note(scopes: readonly Scope[]): void {
    for (const scope of scopes) if (isCeiling(scope)) this.#ledger.note(scope.name, this.#own(scope.name))
  }

  /** Returns this process’s usage today, including calls in progress. */
  #own(scope: string, aheadMs: (id: string) => number = () => 0): Used {
    this.#turn()
    const used: { minutes: number; spend: number } = { ...NOTHING, ...this.#used.get(scope) }
    for (const [id, call] of this.#running) {
      if (!call.scopes.some(({ name }) => name === scope)) continue
      const minutes = this.#minutesOf(call, aheadMs(id))
      used.minutes += minutes
      used.spend += minutes * call.price
    }
    return used
  }

  #scopesOf(to: string, by: string | undefined): Scope[] {
    const { maxMinutesPerDay, maxMinutesPerNumber, maxMinutesPerKey } = this.#limits
    const { maxSpendPerDay, maxSpendPerNumber, maxSpendPerKey } = this.#limits
    const scope = (
      name: string,
      maxMinutes = Number.POSITIVE_INFINITY,
      maxSpend = Number.POSITIVE_INFINITY,
    ) => ({ name, maxMinutes, maxSpend })
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

  #minutesOf({ since }: Running, aheadMs = 0): number {
    if (since === undefined) return 1
    return Math.max(1, Math.ceil((this.#clock.now() + aheadMs - since) / MINUTE_MS))
  }

  /** Resets the usage on a new day. */
  #turn(): void {
    const today = this.#today()
    if (today === this.#day) return
    this.#day = today
    this.#used.clear()
  }

  #today(): number {
    return Math.floor(this.#wall() / DAY_MS)
  }
}

/** Returns true if there is a limit; earlier usage matters only then. */
function isCeiling({ maxMinutes, maxSpend }: Scope): boolean {
  return Number.isFinite(maxMinutes) || Number.isFinite(maxSpend)
}
