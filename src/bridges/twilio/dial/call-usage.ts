import type { Clock } from '../../../core/clock.ts'
import { type DayLedger, forgetfulLedger, NOTHING, type Used } from '../../../core/day-ledger.ts'
import type { WallClock } from '../../../core/wall-clock.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** A call is hung up so long before the minute that would be too much (ms): hanging up takes a moment. */
const AHEAD_MS = 3_000
/** Prices are added up, and no sum of fractions is exact. */
const TINY = 1e-6

/** Ceilings of one day; what is not set has none. Money is in the currency of `prices`. */
export interface UsageLimits {
  /** Of all calls together. */
  readonly maxMinutesPerDay?: number | undefined
  readonly maxSpendPerDay?: number | undefined
  /** Of all calls to one number. */
  readonly maxMinutesPerNumber?: number | undefined
  readonly maxSpendPerNumber?: number | undefined
  /** Of all calls that one key of the API has asked for. */
  readonly maxMinutesPerKey?: number | undefined
  readonly maxSpendPerKey?: number | undefined
  /** What a minute costs, by the beginning of the number; the longest that fits counts. */
  readonly prices?: Readonly<Record<string, number>> | undefined
}

/** A call that counts until its end. */
interface Running {
  readonly to: string
  readonly price: number
  readonly scopes: readonly Scope[]
  /** When it was picked up (clock ms); absent: it rings, and counts as the minute that it would cost. */
  since?: number
}

interface Scope {
  readonly name: string
  readonly maxMinutes: number
  readonly maxSpend: number
}

/**
 * What calls out have cost today: of all, of each number, and of each key; each call counted from its pick-up in whole minutes, as
 * carriers bill it. A day is one of UTC; a call counts for the day in which it ends. What a ceiling needs to know is in the
 * ledger as well, which may outlive this process.
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

  /** Minutes used today, those of running calls included. */
  get minutes(): number {
    return this.#of('all').minutes
  }

  /** Money spent today, by the prices of the settings; 0 without any. */
  get spend(): number {
    return this.#of('all').spend
  }

  /** Minutes that one more call to `to` may last, asked for by key `by`; 0: it may not be placed. Infinity: as long as it likes. */
  left(to: string, by?: string): number {
    const price = this.#priceOf(to)
    const left = this.#scopesOf(to, by).map(scope => {
      const { name, maxMinutes, maxSpend } = scope
      if (isCeiling(scope) && !this.#ledger.known) return 0
      const { minutes, spend } = this.#of(name)
      // Of what has no price nobody knows whether it would be too much.
      const affordable = Number.isFinite(maxSpend)
        ? (maxSpend - spend + TINY) / (price ?? Number.POSITIVE_INFINITY)
        : Number.POSITIVE_INFINITY
      return Math.min(maxMinutes - minutes, Math.floor(affordable))
    })
    return Math.max(0, Math.min(...left))
  }

  /** Call `id` to `to` is on its way, asked for by key `by`. */
  placed(id: string, to: string, by?: string): void {
    const scopes = this.#scopesOf(to, by)
    this.#running.set(id, { to, price: this.#priceOf(to) ?? 0, scopes })
    this.#note(scopes)
  }

  /** It was picked up: it costs from now on. */
  pickedUp(id: string): void {
    const call = this.#running.get(id)
    if (call) call.since ??= this.#clock.now()
  }

  /** It is over; who never picked up costs nothing. */
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

  /** Notes in the ledger what calls that go on have used by now. Called once a second while there are any. */
  note(): void {
    const scopes = new Map<string, Scope>()
    for (const call of this.#running.values()) for (const scope of call.scopes) scopes.set(scope.name, scope)
    this.#note([...scopes.values()])
  }

  /** Calls that must end now, as the minute that they are about to begin would be more than may be used. */
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

  /** What this process has used today, calls that go on included. */
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

  /** A new day begins at nothing. */
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

/** Whether there is a limit at all; only then it matters what was used before. */
function isCeiling({ maxMinutes, maxSpend }: Scope): boolean {
  return Number.isFinite(maxMinutes) || Number.isFinite(maxSpend)
}
