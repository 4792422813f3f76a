import type { Clock } from '../../../core/clock.ts'
import type { WallClock } from '../../../core/wall-clock.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

export interface MinuteLimits {
  /** Of all calls together; default no limit. */
  readonly maxMinutesPerDay?: number | undefined
  /** Of all calls to one number; default no limit. */
  readonly maxMinutesPerNumber?: number | undefined
}

/** A call that counts until its end. */
interface Running {
  readonly to: string
  /** When it was picked up (clock ms); absent: it rings, and counts as the minute that it would cost. */
  since?: number
}

/**
 * The minutes that calls out have cost today, each call counted from its pick-up in whole minutes, as carriers bill it. A
 * day is one of UTC; a call counts for the day in which it ends. Kept in memory: a restart begins anew.
 */
export class CallMinutes {
  readonly #limits: MinuteLimits
  readonly #clock: Clock
  readonly #wall: WallClock
  readonly #running = new Map<string, Running>()
  readonly #byNumber = new Map<string, number>()
  #total = 0
  #day: number

  constructor(limits: MinuteLimits, clock: Clock, wall: WallClock) {
    this.#limits = limits
    this.#clock = clock
    this.#wall = wall
    this.#day = this.#today()
  }

  /** Minutes used today, those of running calls included. */
  get used(): number {
    return this.#used(undefined)
  }

  /** Minutes that one more call to `to` may last; 0: it may not be placed. Infinity: as long as it likes. */
  left(to: string): number {
    const { maxMinutesPerDay = Number.POSITIVE_INFINITY, maxMinutesPerNumber = Number.POSITIVE_INFINITY } =
      this.#limits
    if (!Number.isFinite(maxMinutesPerDay) && !Number.isFinite(maxMinutesPerNumber))
      return Number.POSITIVE_INFINITY
    return Math.max(0, Math.min(maxMinutesPerDay - this.used, maxMinutesPerNumber - this.#used(to)))
  }

  /** Call `id` to `to` is on its way. */
  placed(id: string, to: string): void {
    this.#running.set(id, { to })
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
    if (call?.since === undefined) return
    this.#turn()
    const minutes = this.#minutesOf(call)
    this.#total += minutes
    this.#byNumber.set(call.to, (this.#byNumber.get(call.to) ?? 0) + minutes)
  }

  #used(to: string | undefined): number {
    this.#turn()
    let used = to === undefined ? this.#total : (this.#byNumber.get(to) ?? 0)
    for (const call of this.#running.values())
      if (to === undefined || call.to === to) used += this.#minutesOf(call)
    return used
  }

  #minutesOf({ since }: Running): number {
    return since === undefined ? 1 : Math.max(1, Math.ceil((this.#clock.now() - since) / MINUTE_MS))
  }

  /** A new day begins at nothing. */
  #turn(): void {
    const today = this.#today()
    if (today === this.#day) return
    this.#day = today
    this.#total = 0
    this.#byNumber.clear()
  }

  #today(): number {
    return Math.floor(this.#wall() / DAY_MS)
  }
}
