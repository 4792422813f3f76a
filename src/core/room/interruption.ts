import { FRAME_MS } from '../../transcode/pcm.ts'
import type { Playout } from '../playout/playout.ts'

/** The fate of unplayed translations of a listener who starts to speak. */
export interface InterruptSettings {
  readonly interrupt: 'keep' | 'clear'
}

export interface InterruptionOptions extends InterruptSettings {
  /** The listener's playout; the caller keeps ownership. */
  readonly playout: Playout
}

/** Continuous speech that counts as an interruption (ms): longer than a short word of assent. */
const INTERRUPTS_AFTER_MS = 300

/** Drops unplayed translations when the listener speaks, if `interrupt` is `clear`. */
export class Interruption {
  readonly #playout: Playout
  /** Continuous speech that interrupts (frames); Infinity disables interruptions. */
  readonly #after: number
  /** Frames of speech in the current interval. */
  #breath = 0

  constructor({ interrupt, playout }: InterruptionOptions) {
    this.#playout = playout
    this.#after = interrupt === 'clear' ? INTERRUPTS_AFTER_MS / FRAME_MS : Number.POSITIVE_INFINITY
  }

  /** Takes the next frame of the listener. `speaking`: within a speech interval, which can contain `quiet` frames. */
  frame(speaking: boolean, quiet: boolean): void {
    if (this.#after === Number.POSITIVE_INFINITY) return
    if (!speaking) this.#breath = 0
    // Once per speech interval, when it is long enough.
    else if (!quiet && ++this.#breath === this.#after) this.#playout.interrupt()
  }
}
