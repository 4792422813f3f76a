import { FRAME_MS } from '../transcode/pcm.ts'
import type { RelayMetrics } from './metrics.ts'
import type { Playout } from './playout.ts'

/** What becomes of translations that a listener has not heard when they speak themself. */
export interface InterruptOptions {
  readonly interrupt: 'keep' | 'clear'
  /** So much speech in one breath is meant (ms). */
  readonly interruptAfterMs: number
}

/** Drops what a listener has not heard of translations once they speak, if that is wanted. */
export class Interruption {
  readonly #playout: Playout
  readonly #metrics: RelayMetrics
  /** Speech in one breath that interrupts (frames); Infinity: none does. */
  readonly #after: number
  /** Frames of speech in this breath. */
  #breath = 0

  constructor(options: InterruptOptions, playout: Playout, metrics: RelayMetrics) {
    this.#playout = playout
    this.#metrics = metrics
    this.#after =
      options.interrupt === 'clear'
        ? Math.ceil(options.interruptAfterMs / FRAME_MS)
        : Number.POSITIVE_INFINITY
  }

  /** One more frame of the listener; `speaking`: in a breath, in which the frame may be `quiet`. */
  frame(speaking: boolean, quiet: boolean): void {
    if (this.#after === Number.POSITIVE_INFINITY) return
    if (!speaking) this.#breath = 0
    // Once in each breath, as soon as it is long enough to be meant.
    else if (!quiet && ++this.#breath === this.#after && this.#playout.interrupt())
      this.#metrics.interruptions++
  }
}
