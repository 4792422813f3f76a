import { nextPace, PACES, type Pace, REST } from './catch-up.ts'

/** How fast "of late" follows (per look, ten a second): a lag of 3 s ago counts a third. */
const FOLLOW = 1 / 30

/** The pace of one lane, from its lag as it goes on. */
export class LanePace {
  #pace = REST
  /** Filled anew at each look: what runs ten times a second makes no garbage. */
  readonly #state = { lagMs: 0, trendMs: 0, aheadMs: 0 }
  /** The lag of late (ms). */
  #usualMs = 0

  get now(): Pace {
    return PACES[this.#pace]!
  }

  get atRest(): boolean {
    return this.#pace === REST
  }

  /** Looks at the lane, ten times a second while it plays. */
  look(lagMs: number, aheadMs: number): Pace {
    this.#state.lagMs = lagMs
    this.#state.aheadMs = aheadMs
    this.#state.trendMs = lagMs - this.#usualMs
    this.#usualMs += (lagMs - this.#usualMs) * FOLLOW
    this.#pace = nextPace(this.#pace, this.#state)
    return this.now
  }

  /** The lane is empty: nothing is late. */
  reset(): void {
    this.#pace = REST
    this.#usualMs = 0
  }
}
