import { LAG_POINTS } from './rates.ts'

/** Seconds that a point stands for. */
const SECONDS = 5

/** The lag of one leg over the last minutes: a point for five seconds, which is the worst of them. */
export class LagCurve {
  readonly #points: number[]
  #seconds = 0

  /** `past`: the points before. */
  constructor(past: readonly number[] = []) {
    this.#points = [...past]
  }

  /** The lag of another second (ms). */
  add(lagMs: number): void {
    if (this.#seconds++ % SECONDS === 0) {
      this.#points.push(lagMs)
      if (this.#points.length > LAG_POINTS) this.#points.shift()
    } else if (lagMs > this.#points.at(-1)!) this.#points[this.#points.length - 1] = lagMs
  }

  /** The oldest first; the newest may still grow. */
  get points(): readonly number[] {
    return this.#points
  }
}
