import type { Clock } from '../../common/clock.ts'
import { DAY_MS, MINUTE_MS } from '../../common/durations.ts'
import type { WallClock } from '../../common/wall-clock.ts'

/** Usage under one name. */
export interface Used {
  readonly minutes: number
  /** Cost, if a price is set. */
  readonly spend: number
}

export const NOTHING: Used = { minutes: 0, spend: 0 }

/**
 * Persists the usage of each day (UTC), so that limits survive restarts. Each run stores its own totals; `earlier`
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
const forgetfulLedger: DayLedger = { known: true, earlier: () => NOTHING, note() {} }

/** The quotas that a call counts for: everything, a number, a key. */
export interface UsageScope {
  readonly name: string
  /** It has a daily limit, so its usage goes to the ledger. */
  readonly limited: boolean
}

/** A call in progress. */
export interface MeteredCall<S extends UsageScope = UsageScope> {
  readonly scopes: readonly S[]
  /** Per minute. */
  readonly price: number
  /** Time of the answer (clock ms); absent: it is ringing and counts as one minute. */
  since?: number
}

export interface DayUsageOptions {
  readonly clock: Clock
  readonly wallClock: WallClock
  /** Stores usage across restarts. Default: not stored. */
  readonly ledger?: DayLedger | undefined
}

/**
 * Counts today’s minutes and cost of calls by name. A call counts from its answer in whole minutes, as carriers bill it.
 * Days are UTC; a call counts for the day on which it ends.
 */
export class DayUsage<S extends UsageScope = UsageScope> {
  readonly #clock: Clock
  readonly #wallClock: WallClock
  readonly #ledger: DayLedger
  readonly #running = new Map<string, MeteredCall<S>>()
  /** Usage of ended calls. */
  readonly #ended = new Map<string, Used>()
  #day: number

  constructor({ clock, wallClock, ledger = forgetfulLedger }: DayUsageOptions) {
    this.#clock = clock
    this.#wallClock = wallClock
    this.#ledger = ledger
    this.#day = this.#today()
  }

  /** Calls in progress by id, oldest first. */
  get running(): ReadonlyMap<string, MeteredCall<S>> {
    return this.#running
  }

  /** False if the ledger does not know today's earlier usage. */
  get known(): boolean {
    return this.#ledger.known
  }

  /** Counts call `id`, which is ringing, for `scopes`. */
  start(id: string, scopes: readonly S[], price = 0): void {
    this.#running.set(id, { scopes, price })
    this.#note(scopes)
  }

  /** Records that call `id` was answered: it costs from now on. */
  answer(id: string): void {
    const call = this.#running.get(id)
    if (call) call.since ??= this.#clock.now()
  }

  /** Stops counting call `id`, which another process counts from now on. */
  drop(id: string): void {
    const call = this.#running.get(id)
    this.#running.delete(id)
    if (call) this.#note(call.scopes)
  }

  /** Records the end of call `id`; unanswered calls are free. */
  end(id: string): void {
    const call = this.#running.get(id)
    this.#running.delete(id)
    if (!call) return
    this.#startDay()
    const minutes = call.since === undefined ? 0 : this.minutesOf(call)
    if (minutes > 0)
      for (const { name } of call.scopes) {
        const used = this.#ended.get(name) ?? NOTHING
        this.#ended.set(name, { minutes: used.minutes + minutes, spend: used.spend + minutes * call.price })
      }
    this.#note(call.scopes)
  }

  /** Writes the usage of calls in progress to the ledger. Call it once a second while there are any. */
  note(): void {
    const scopes = new Map<string, S>()
    for (const call of this.#running.values()) for (const scope of call.scopes) scopes.set(scope.name, scope)
    this.#note([...scopes.values()])
  }

  /**
   * Returns today’s usage under `name`, including calls in progress, the latter as if it were `aheadMs` later for each,
   * and the usage of other runs.
   */
  used(name: string, aheadMs?: (id: string) => number): Used {
    const own = this.#own(name, aheadMs)
    const earlier = this.#ledger.earlier(name)
    return { minutes: earlier.minutes + own.minutes, spend: earlier.spend + own.spend }
  }

  /** Returns the minutes that a call in progress counts, if it ended `aheadMs` from now. */
  minutesOf({ since }: MeteredCall<S>, aheadMs = 0): number {
    if (since === undefined) return 1
    return Math.max(1, Math.ceil((this.#clock.now() + aheadMs - since) / MINUTE_MS))
  }

  #note(scopes: readonly S[]): void {
    for (const { name, limited } of scopes) if (limited) this.#ledger.note(name, this.#own(name))
  }

  /** Returns this process’s usage today, including calls in progress. */
  #own(scope: string, aheadMs: (id: string) => number = () => 0): Used {
    this.#startDay()
    let { minutes, spend } = this.#ended.get(scope) ?? NOTHING
    for (const [id, call] of this.#running) {
      if (!call.scopes.some(({ name }) => name === scope)) continue
      const more = this.minutesOf(call, aheadMs(id))
      minutes += more
      spend += more * call.price
    }
    return { minutes, spend }
  }

  /** Resets the usage on a new day. */
  #startDay(): void {
    const today = this.#today()
    if (today === this.#day) return
    this.#day = today
    this.#ended.clear()
  }

  #today(): number {
    return Math.floor(this.#wallClock() / DAY_MS)
  }
}
