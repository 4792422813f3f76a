import { after, type Clock } from '../../../common/clock.ts'

/** Reports a channel that has been empty for a while. */
export class Occupancy implements Disposable {
  readonly #clock: Clock
  readonly #afterMs: number
  readonly #empty: () => void
  #timer: Disposable | undefined

  /** `empty` is called after `afterMs` without people. */
  constructor(clock: Clock, afterMs: number, empty: () => void) {
    this.#clock = clock
    this.#afterMs = afterMs
    this.#empty = empty
  }

  /** Sets the number of people in the channel. */
  count(people: number): void {
    if (people > 0) this[Symbol.dispose]()
    else this.#timer ??= after(this.#clock, this.#afterMs, this.#empty)
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
  }
}
