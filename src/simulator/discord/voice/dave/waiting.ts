import { after, type Clock } from '../../../../common/clock.ts'

/** Waits for a condition: one wait at a time, checked again after every `wake`. */
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

  /** Stops waiting. */
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
