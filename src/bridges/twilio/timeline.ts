/** Samples a millisecond on the telephone line. */
const PER_MS = 8
/** A clock that is off by less than half a frame is jitter of its rounding, not a hole. */
const TOLERANCE = 10 * PER_MS
/** Further back than this, the clock was set anew. */
const REWIND = 1_000 * PER_MS
/** So many late messages in a row mean that the clock was set anew (1 s of 20 ms messages). */
const MAX_LATE = 50

/**
 * Where each piece of audio belongs on the stream's own clock (`media.timestamp`, which need not start at 0 nor be
 * a multiple of 20). After `place`, `fill` and `skip` say what to do with it. All counts are samples at 8 kHz.
 */
export class Timeline {
  /** Silence that is missing before the piece. */
  fill = 0
  /** Samples at the head of the piece that were there before; the whole piece if it is a repetition. */
  skip = 0
  /** True if the clock jumped so far that the piece is a new beginning. */
  jumped = false
  readonly #maxGap: number
  #expected = Number.NaN
  #late = 0

  constructor(maxGapMs: number) {
    this.#maxGap = maxGapMs * PER_MS
  }

  /** Places a piece of `samples` at `timestampMs`; NaN means right after the one before. */
  place(timestampMs: number, samples: number): void {
    this.fill = 0
    this.skip = 0
    this.jumped = false
    const at = timestampMs * PER_MS
    const offset = at - this.#expected
    if (Number.isNaN(offset)) {
      // The first piece, or one without time.
      this.#expected = (Number.isNaN(at) ? this.#expected : at) + samples
      return
    }
    if (offset > this.#maxGap || offset < -REWIND || (offset <= -TOLERANCE && this.#late >= MAX_LATE)) {
      this.jumped = true
      this.#late = 0
      this.#expected = at + samples
      return
    }
    if (offset <= -TOLERANCE) {
      this.#late++
      this.skip = Math.min(samples, -offset)
      this.#expected += samples - this.skip
      return
    }
    this.#late = 0
    if (offset >= TOLERANCE) this.fill = offset
    this.#expected += this.fill + samples
  }
}
