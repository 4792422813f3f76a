import { after, type Clock } from '../../../../core/clock.ts'

/** Waits for what others do: one wait at a time, looked at again whenever somebody did something. */
export class Waiting {
  readonly #clock: Clock
  #look: (() => void) | undefined
  #finish: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Something has changed. */
  wake(): void {
    this.#look?.()
  }

  /** Waits no longer. */
  stop(): void {
    this.#finish?.()
  }

  /** Settles when `holds`, or after `ms`. */
  until(holds: () => boolean, ms: number): Promise<void> {
    if (holds()) return Promise.resolve()
    return new Promise(settle => {
      const finish = () => {
        timer[Symbol.dispose]()
        this.#look = undefined
        this.#finish = undefined
        settle()
      }
      const timer = after(this.#clock, ms, finish)
      this.#finish = finish
      this.#look = () => {
        if (holds()) finish()
      }
    })
  }
}
