import { availableParallelism } from 'node:os'
import type { Clock } from '../../common/clock.ts'

/** Number of threads for the engines: one per core, and two that can wait for files and names. */
export const THREADS = availableParallelism() + 2

/** Averaging time (ms): the weight of earlier load falls to a third within it. */
const LATELY_MS = 3_000

/** Measures the load of the threads used by the recognizer. Call `began` and `ended` for each task on them. */
export class ThreadUse {
  readonly #clock: Clock
  readonly #threads: number
  #running = 0
  #share = 0
  #at: number

  constructor(clock: Clock, threads = THREADS) {
    this.#clock = clock
    this.#threads = threads
    this.#at = clock.now()
  }

  began(): void {
    this.#settle()
    this.#running++
  }

  ended(): void {
    this.#settle()
    this.#running--
  }

  /** Recent share of busy threads, 0 to 1, including work that waits for a thread. */
  get share(): number {
    this.#settle()
    return this.#share
  }

  #settle(): void {
    const now = this.#clock.now()
    const kept = Math.exp((this.#at - now) / LATELY_MS)
    this.#share = this.#share * kept + Math.min(1, this.#running / this.#threads) * (1 - kept)
    this.#at = now
  }
}
