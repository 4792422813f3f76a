import type { Clock } from '../../common/clock.ts'
import type { TranslationRequest } from './translator.ts'

/** A place that was given up is free at the service within this time, and requested at this interval (ms). */
const FREED_MS = 1_000
const FREED_RETRY_MS = 50
/** While no place is free: interval between two searches for a session that can give its own up … */
const SEARCH_MS = 100
/** … and between two requests, because other clients of the service give places up as well (ms). */
const POLL_MS = 1_000

/** A session that occupies a place at the service, or needs one. */
export interface PlaceUser {
  readonly request: Pick<TranslationRequest, 'from' | 'to'>
  /** When its speaker last spoke (clock ms). */
  readonly spokeAt: number
  /** Gives its place up if nothing is lost by that. Returns false if it needs the place. */
  yieldPlace(now: number): boolean
  /** It is its turn: opens a connection, and reports the outcome with `take`, `refused` or `leave`. */
  tryPlace(): void
  /** No place is free; its turn comes. */
  noPlace(now: number): void
}

/**
 * The sessions that occupy places at the service, and the line of those that found none. The next free place belongs to
 * the first in line, and newcomers line up behind it. Sessions of silent speakers give their places up for the line. A
 * service can have separate places for each language, so one session of each pair of languages tries in every round.
 */
export class SessionPlaces {
  readonly #clock: Clock
  readonly #occupants = new Set<PlaceUser>()
  /** In the order of their first request. */
  readonly #line: PlaceUser[] = []
  #trying: PlaceUser | undefined
  /** The pairs of languages that were refused in this round. */
  readonly #refused = new Set<string>()
  /** When a place was given up, and when the last round began (clock ms). */
  #freedAt = Number.NEGATIVE_INFINITY
  #roundAt = Number.NEGATIVE_INFINITY
  #timer: { readonly at: number; readonly handle: Disposable } | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Sessions in line. */
  get waiting(): number {
    return this.#line.length
  }

  /** Returns true if `user` can request a place at once. Otherwise it is last in line now. */
  enter(user: PlaceUser): boolean {
    if (this.#line.length === 0) return true
    this.#line.push(user)
    this.#roundAt = Number.NEGATIVE_INFINITY
    this.#schedule(0)
    return false
  }

  /** The service has no place for `user`, which keeps its place in line or becomes the last one. */
  refused(user: PlaceUser): void {
    if (!this.#line.includes(user)) this.#line.push(user)
    this.#refused.add(pairOf(user))
    if (this.#trying !== undefined && this.#trying !== user) return
    this.#trying = undefined
    this.#next()
  }

  /** `user` has got a place. */
  take(user: PlaceUser): void {
    this.#remove(user)
    this.#occupants.add(user)
  }

  /** `user` has lost its place, and requests another one at once. */
  lost(user: PlaceUser): void {
    this.#occupants.delete(user)
    this.#remove(user)
  }

  /** `user` needs no place any more: the one that it had belongs to the first in line. */
  leave(user: PlaceUser): void {
    if (this.#occupants.delete(user)) {
      this.#freedAt = this.#clock.now()
      this.#schedule(0)
    }
    this.#remove(user)
  }

  #remove(user: PlaceUser): void {
    const at = this.#line.indexOf(user)
    if (at < 0) return
    this.#line.splice(at, 1)
    if (this.#trying === user) {
      this.#trying = undefined
      this.#roundAt = Number.NEGATIVE_INFINITY
      this.#schedule(0)
    }
    if (this.#line.length > 0) return
    this.#timer?.handle[Symbol.dispose]()
    this.#timer = undefined
  }

  /** The next one in line that was not refused tries; after the last one the round is over. */
  #next(): void {
    if (this.#trying) return
    const user = this.#line.find(each => !this.#refused.has(pairOf(each)))
    if (user) {
      this.#trying = user
      user.tryPlace()
      return
    }
    const now = this.#clock.now()
    if (this.#soonFree(now)) {
      this.#schedule(FREED_RETRY_MS)
      return
    }
    for (const each of [...this.#line]) each.noPlace(now)
    this.#schedule(SEARCH_MS)
  }

  /** True if a place was just given up; ends the session whose speaker has been silent for longest, if none was. */
  #soonFree(now: number): boolean {
    if (now - this.#freedAt < FREED_MS) return true
    const bySilence = [...this.#occupants].sort((a, b) => a.spokeAt - b.spokeAt)
    return bySilence.some(occupant => occupant.yieldPlace(now))
  }

  #schedule(afterMs: number): void {
    if (this.#line.length === 0) return
    const at = this.#clock.now() + afterMs
    if (this.#timer && this.#timer.at <= at) return
    this.#timer?.handle[Symbol.dispose]()
    const handle = this.#clock.at(at, () => {
      this.#timer = undefined
      this.#round()
    })
    this.#timer = { at, handle }
  }

  #round(): void {
    if (this.#trying || this.#line.length === 0) return
    const now = this.#clock.now()
    if (now - this.#roundAt < POLL_MS && !this.#soonFree(now)) {
      this.#schedule(SEARCH_MS)
      return
    }
    this.#roundAt = now
    this.#refused.clear()
    this.#next()
  }
}

function pairOf({ request: { from, to } }: PlaceUser): string {
  return `${from} ${to}`
}
