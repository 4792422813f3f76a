import { type Clock, systemClock, Ticker } from '../../../src/common/clock.ts'

/** A phone that needs a regular tick. */
export interface OnTheLine {
  tick(now: number): void
}

/** Interval at which all phones of a line are ticked: their packets fall due on this grid (ms). */
export const LINE_PERIOD_MS = 5

/**
 * One timer for any number of phones: it ticks on an absolute grid while there are any. Give all phones of a load test
 * the same line; a phone without one creates its own. Phones leave automatically when their calls end.
 */
export class PhoneLine {
  readonly clock: Clock
  readonly #phones = new Set<OnTheLine>()
  #ticker: Ticker | undefined
  #gridAt = 0

  constructor(clock: Clock = systemClock) {
    this.clock = clock
  }

  /** Number of phones on the line. */
  get size(): number {
    return this.#phones.size
  }

  /** Ticks `phone` from now on. */
  join(phone: OnTheLine): void {
    this.#phones.add(phone)
    if (this.#ticker) return
    this.#gridAt = this.clock.now()
    this.#ticker = new Ticker(this.clock, LINE_PERIOD_MS, now => {
      for (const each of this.#phones) each.tick(now)
    })
  }

  leave(phone: OnTheLine): void {
    this.#phones.delete(phone)
    if (this.#phones.size > 0) return
    this.#ticker?.[Symbol.dispose]()
    this.#ticker = undefined
  }

  /** Returns the first point of the grid at or after now, so that a schedule from there is sent exactly on time. */
  align(): number {
    const since = this.clock.now() - this.#gridAt
    return this.#gridAt + Math.ceil(since / LINE_PERIOD_MS) * LINE_PERIOD_MS
  }
}
