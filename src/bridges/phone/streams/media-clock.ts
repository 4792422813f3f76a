/** Deviations below half a frame are rounding jitter, not gaps (ms). */
const TOLERANCE_MS = 10
/** A jump further back than this means that the clock was reset (ms). */
const REWIND_MS = 1_000
/** Number of consecutive late messages that means the clock was reset (1 s of 20 ms messages). */
const MAX_LATE = 50

/**
 * Positions each piece of audio on the stream’s own clock (`media.timestamp`, which need not start at 0 nor be a
 * multiple of 20). After `place`, `fill` and `skip` hold the result. All counts are samples.
 */
export class MediaClock {
  /** Missing samples before the piece, to be filled with silence. */
  fill = 0
  /** Leading samples of the piece that were received before; the whole piece if it is a repetition. */
  skip = 0
  /** True if the clock jumped so far that the piece restarts it. */
  jumped = false
  readonly #perMs: number
  readonly #maxGap: number
  readonly #tolerance: number
  readonly #rewind: number
  #expected = Number.NaN
  #late = 0

  constructor(maxGapMs: number, rate = 8_000) {
    const perMs = rate / 1_000
    this.#perMs = perMs
    this.#maxGap = maxGapMs * perMs
    this.#tolerance = TOLERANCE_MS * perMs
    this.#rewind = REWIND_MS * perMs
  }

  /** Positions a piece of `samples` at `timestampMs`; NaN means directly after the previous one. */
  place(timestampMs: number, samples: number): void {
    this.fill = 0
    this.skip = 0
    this.jumped = false
    const at = timestampMs * this.#perMs
    const offset = at - this.#expected
    if (Number.isNaN(offset)) {
      // The first piece, or one without a timestamp.
      this.#expected = (Number.isNaN(at) ? this.#expected : at) + samples
      return
    }
    if (
      offset > this.#maxGap ||
      offset < -this.#rewind ||
      (offset <= -this.#tolerance && this.#late >= MAX_LATE)
    ) {
      this.jumped = true
      this.#late = 0
      this.#expected = at + samples
      return
    }
    if (offset <= -this.#tolerance) {
      this.#late++
      this.skip = Math.min(samples, -offset)
      this.#expected += samples - this.skip
      return
    }
    this.#late = 0
    if (offset >= this.#tolerance) this.fill = offset
    this.#expected += this.fill + samples
  }
}
