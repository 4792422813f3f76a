import { availableParallelism } from 'node:os'
import type { Clock } from '../../../core/clock.ts'

/** Threads for the engines: those of the cores, and two that may wait for files and names meanwhile. */
export const THREADS = availableParallelism() + 2

/** What counts as lately (ms): the weight of what was falls to a third within it. */
const LATELY_MS = 3_000

/** How busy the threads are on which the recogniser works. Whoever puts work on them says when it begins and ends. */
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

  /** Share of the threads that were busy lately, 0 to 1; work that waits for a thread counts. */
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
