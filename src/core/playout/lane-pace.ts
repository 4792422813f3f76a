import { nextPace, PACES, type Pace, REST } from './catch-up.ts'

/** Smoothing factor of the average lag per check (10 per second): a lag of 3 s ago has a weight of one third. */
const FOLLOW = 1 / 30

/** Controls the pace of one translation queue by its lag. */
export class LanePace {
  #pace = REST
  /** Reused by each check, to avoid allocations. */
  readonly #state = { lagMs: 0, trendMs: 0, aheadMs: 0 }
  /** Recent average lag (ms). */
  #usualMs = 0

  get now(): Pace {
    return PACES[this.#pace]!
  }

  get atRest(): boolean {
    return this.#pace === REST
  }

  /** Updates the pace. Called ten times per second during playback. */
  look(lagMs: number, aheadMs: number): Pace {
    this.#state.lagMs = lagMs
    this.#state.aheadMs = aheadMs
    this.#state.trendMs = lagMs - this.#usualMs
    this.#usualMs += (lagMs - this.#usualMs) * FOLLOW
    this.#pace = nextPace(this.#pace, this.#state)
    return this.now
  }

  /** Returns to the normal pace, because the queue is empty. */
  reset(): void {
    this.#pace = REST
    this.#usualMs = 0
  }
}
