import { FRAME_MS } from '../../transcode/pcm.ts'

/** Tolerated drift of a participant's clock (ms per frame: 0.1 %). */
const DRIFT_MS = 0.02
/** A frame this late after silence marks a new start on a channel that does not send silence (ms). */
const PAUSE_MS = 100
/** Above this delay, frames are missing, with or without silence (ms). */
const GAP_MS = 2_000
/** A frame moves to another slot only if it is further than this from the center of the current one (ms). */
const FIRM_MS = 15

/**
 * Aligns the frames of a voice to the grid of 20 ms by counting them: networks deliver late and in bursts, never early,
 * so the earliest frames reveal the timing of all.
 */
export class SlotClock {
  /** Estimated time of the next frame (clock ms), and its slot. */
  #due = Number.NaN
  #slot = 0

  /** Returns the slot of a frame that arrives at `now` (clock ms). `pausing`: the frames before it were silence. */
  next(now: number, pausing: boolean): number {
    const late = now - this.#due
    if (!(late <= GAP_MS) || late < 0 || (pausing && late > PAUSE_MS)) this.#due = now
    else this.#due += Math.min(late, DRIFT_MS)
    if (Math.abs(this.#due - this.#slot * FRAME_MS) > FIRM_MS) this.#slot = Math.round(this.#due / FRAME_MS)
    this.#due += FRAME_MS
    return this.#slot++
  }
}
