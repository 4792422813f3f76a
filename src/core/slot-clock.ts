import { FRAME_MS } from '../transcode/pcm.ts'

/** A party's clock may be so much slower than ours (ms a frame: 0.1 %). */
const DRIFT_MS = 0.02
/** Later than this behind silence, a channel that sends no silence has begun anew (ms). */
const PAUSE_MS = 100
/** Later than this, time is missing wherever it is (ms). */
const GAP_MS = 2_000
/** A frame moves to another slot only if it is further from the middle of its own than this (ms). */
const FIRM_MS = 15

/**
 * Puts the frames of a voice on the grid of 20 ms by counting them: networks deliver late and in bursts, never early, so
 * the earliest frames tell when all of them were said.
 */
export class SlotClock {
  /** When the next frame is said, as far as is known (clock ms), and its slot. */
  #due = Number.NaN
  #slot = 0

  /** The slot of a frame that comes at `now` (clock ms); `pausing`: those before it were silence. */
  next(now: number, pausing: boolean): number {
    const late = now - this.#due
    if (!(late <= GAP_MS) || late < 0 || (pausing && late > PAUSE_MS)) this.#due = now
    else this.#due += Math.min(late, DRIFT_MS)
    if (Math.abs(this.#due - this.#slot * FRAME_MS) > FIRM_MS) this.#slot = Math.round(this.#due / FRAME_MS)
    this.#due += FRAME_MS
    return this.#slot++
  }
}
