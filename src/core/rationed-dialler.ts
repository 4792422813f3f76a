import type { Clock } from './clock.ts'
import type { Dialler, DialRequest, OutgoingCall } from './dialler.ts'
import { BridgeError } from './errors.ts'

/** How much may be dialled. */
export interface DialRation {
  /** Calls placed in any minute. */
  readonly perMinute: number
  /** Calls to one destination in any hour, unless it is `known`. */
  readonly perHourEach: number
  /** Destinations of the settings, which may be called as often as somebody calls them. */
  readonly known: readonly string[]
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * A dialler that is not hurried: whoever has got hold of a key, or calls again and again, can place so many calls and
 * no more. Over a limit `dial` throws: `CAPACITY` for what may work later, `DIAL_REFUSED` for a destination that was
 * called too often. Calls that go on are left alone.
 */
export class RationedDialler implements Dialler {
  /** Calls that were not placed. */
  refused = 0
  readonly #dialler: Dialler
  readonly #ration: DialRation
  readonly #clock: Clock
  /** When calls were placed in the last minute, oldest first. */
  #placed: number[] = []
  /** … and in the last hour, by destination. */
  readonly #destinations = new Map<string, number[]>()

  /** The dialler stays its owner's. */
  constructor(dialler: Dialler, ration: DialRation, clock: Clock) {
    this.#dialler = dialler
    this.#ration = ration
    this.#clock = clock
  }

  dial(request: DialRequest): OutgoingCall {
    const now = this.#clock.now()
    const fault = this.#faultOf(request.to, now)
    if (fault) {
      this.refused++
      throw fault
    }
    const call = this.#dialler.dial(request)
    this.#placed.push(now)
    if (!this.#ration.known.includes(request.to))
      this.#destinations.set(request.to, [...this.#lately(request.to, now), now])
    return call
  }

  #faultOf(to: string, now: number): BridgeError | undefined {
    const { perMinute, perHourEach, known } = this.#ration
    this.#placed = this.#placed.filter(at => now - at < MINUTE_MS)
    for (const each of this.#destinations.keys())
      if (this.#lately(each, now).length === 0) this.#destinations.delete(each)
    if (this.#placed.length >= perMinute)
      return new BridgeError('CAPACITY', `${perMinute} calls a minute are the most`, { retryable: true })
    if (!known.includes(to) && this.#lately(to, now).length >= perHourEach)
      return new BridgeError('DIAL_REFUSED', `${perHourEach} calls an hour to one destination are the most`)
    return undefined
  }

  #lately(to: string, now: number): number[] {
    return (this.#destinations.get(to) ?? []).filter(at => now - at < HOUR_MS)
  }
}
