import { type Clock, Ticker } from '../../../common/clock.ts'
import { FRAME_MS } from '../../../transcode/pcm.ts'

/** A task that runs every 20 ms. Must not throw. */
export interface Paced {
  tick(now: number): void
}

/**
 * The timer shared by all voice channels of the process: their audio, in both directions, advances on one absolute grid
 * of 20 ms. It stops when it has no tasks. Tasks remove themselves.
 */
export class OutputPacer {
  readonly #clock: Clock
  readonly #paced = new Set<Paced>()
  #ticker: Ticker | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get clock(): Clock {
    return this.#clock
  }

  get size(): number {
    return this.#paced.size
  }

  add(paced: Paced): void {
    this.#paced.add(paced)
    this.#ticker ??= new Ticker(this.#clock, FRAME_MS, now => this.#tick(now))
  }

  remove(paced: Paced): void {
    this.#paced.delete(paced)
    if (this.#paced.size > 0) return
    this.#ticker?.[Symbol.dispose]()
    this.#ticker = undefined
  }

  #tick(now: number): void {
    for (const paced of this.#paced) paced.tick(now)
  }
}
