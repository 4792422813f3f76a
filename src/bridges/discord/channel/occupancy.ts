import { after, type Clock } from '../../../core/clock.ts'

/** Tells when nobody has been in a channel for a while. */
export class Occupancy implements Disposable {
  readonly #clock: Clock
  readonly #afterMs: number
  readonly #empty: () => void
  #timer: Disposable | undefined

  /** `empty` is called once nobody has been there for `afterMs`. */
  constructor(clock: Clock, afterMs: number, empty: () => void) {
    this.#clock = clock
    this.#afterMs = afterMs
    this.#empty = empty
  }

  /** So many people are there now. */
  count(people: number): void {
    if (people > 0) this[Symbol.dispose]()
    else this.#timer ??= after(this.#clock, this.#afterMs, this.#empty)
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
  }
}
