import { TokenBucket } from '../../../common/rate-limit.ts'
import { Backlog } from '../../websocket/backlog.ts'
import { ClockDrift } from './clock-drift.ts'

/** Deviations below half a frame are rounding jitter, not gaps (ms). */
const TOLERANCE_MS = 10
/** A jump further back than this means that the clock was reset (ms). */
const REWIND_MS = 1_000
/** Number of consecutive late messages that means the clock was reset (1 s of 20 ms messages). */
const MAX_LATE = 50
/** Maximum rate of audio (ms per second of real time); the sender’s clock is not ours. */
const FASTEST_MS = 1_050
/** Maximum audio accepted at once after a network stall (ms). */
const BURST_MS = 5_000
/** Maximum silence fed per call (ms), so that a stalled process does not catch up on all of it. */
const MOST_FED_MS = 1_000

/** Counters of what happens to time. */
export interface TimelineCounters {
  gapsFilledMs: number
  pauses: number
  duplicates: number
  backlogDroppedMs: number
  silenceFedMs: number
  floodDropped: number
}

export interface TimelineLimits {
  /** Maximum gap that is filled with silence; a longer one is treated as a pause (ms). */
  readonly maxGapMs: number
  /** Time without media after which silence is fed instead (ms). */
  readonly silenceAfterMs: number
}

/**
 * Decides when audio belongs: positions each piece on the stream’s own clock (`media.timestamp`, which need not start at 0
 * nor be a multiple of 20), measures how that clock drifts from ours, drops what is outdated or too much, and says how
 * much silence takes the place of what is missing. Knows no samples, only their number.
 */
export class MediaTimeline {
  /** Samples of silence before the piece that was placed last. */
  fill = 0
  /** Leading samples of that piece to skip, because they were received before; the whole piece if it is a repetition. */
  skip = 0
  /** Drift of the carrier’s clock. */
  readonly drift = new ClockDrift()
  readonly #counters: TimelineCounters
  readonly #limits: TimelineLimits
  /** Samples per millisecond. */
  readonly #perMs: number
  readonly #backlog: Backlog
  /** Remaining audio allowance (ms): media time can run ahead of real time by a full gap and a burst. */
  readonly #allowance: TokenBucket
  /** Position of the next piece (samples). */
  #expected = Number.NaN
  #late = 0
  /** Audio received (ms): the clock of carriers without timestamps. */
  #receivedMs = 0
  /** Time of the last media, and silence fed since then (ms). */
  #mediaAt: number
  #fedMs = 0

  /** `rate`: samples per second; `now`: ms of our clock, as in all methods. */
  constructor(counters: TimelineCounters, limits: TimelineLimits, rate: number, now: number) {
    this.#counters = counters
    this.#limits = limits
    this.#perMs = rate / 1_000
    this.#backlog = new Backlog(now)
    this.#allowance = new TokenBucket(FASTEST_MS, limits.maxGapMs + BURST_MS, now)
    this.#mediaAt = now
  }

  /**
   * Places a piece of `samples` at `timestampMs`; NaN means directly after the previous one. `fill` and `skip` then hold
   * the result. Returns false if it is too old to be heard, and nothing takes its place.
   */
  place(timestampMs: number, samples: number, now: number): boolean {
    const counters = this.#counters
    const ms = samples / this.#perMs
    this.fill = 0
    this.skip = 0
    if (this.#backlog.outdated(timestampMs, ms, now)) {
      counters.backlogDroppedMs += Math.floor(ms)
      return false
    }
    this.#receivedMs += ms
    this.drift.observe(Number.isNaN(timestampMs) ? this.#receivedMs : timestampMs + ms, now)
    this.#mediaAt = now
    this.fill = this.#fillable(this.#gap(timestampMs * this.#perMs, samples), now)
    this.#fedMs = 0
    if (this.skip > 0) counters.duplicates++
    if (this.#allowance.take(now, (samples - this.skip) / this.#perMs) >= 0) return true
    counters.floodDropped++
    this.skip = samples
    return true
  }

  /** Returns the samples of silence due at `now` if no media arrives, so that the service detects the pause. */
  silence(now: number): number {
    const quietMs = now - this.#mediaAt
    if (quietMs < this.#limits.silenceAfterMs) return 0
    const dueMs = Math.min(MOST_FED_MS, Math.floor((quietMs - this.#fedMs) / 20) * 20)
    this.#fedMs += dueMs
    this.#counters.silenceFedMs += dueMs
    return dueMs * this.#perMs
  }

  /** Moves on by a piece of `samples` at position `at`; sets `skip`, and returns the samples missing before it. */
  #gap(at: number, samples: number): number {
    const offset = at - this.#expected
    if (Number.isNaN(offset)) {
      // The first piece, or one without a timestamp.
      this.#expected = (Number.isNaN(at) ? this.#expected : at) + samples
      return 0
    }
    const perMs = this.#perMs
    const early = offset <= -TOLERANCE_MS * perMs
    if (
      offset > this.#limits.maxGapMs * perMs ||
      offset < -REWIND_MS * perMs ||
      (early && this.#late >= MAX_LATE)
    ) {
      // The clock jumped so far that this piece restarts it.
      this.#counters.pauses++
      this.#late = 0
      this.#expected = at + samples
      return 0
    }
    if (early) {
      this.#late++
      this.skip = Math.min(samples, -offset)
      this.#expected += samples - this.skip
      return 0
    }
    this.#late = 0
    const missing = offset >= TOLERANCE_MS * perMs ? offset : 0
    this.#expected += missing + samples
    return missing
  }

  /** The part of a gap that was not fed as silence yet, within the allowance. */
  #fillable(samples: number, now: number): number {
    const perMs = this.#perMs
    if (samples === 0) return 0
    const missing = Math.min(samples - this.#fedMs * perMs, Math.floor(this.#allowance.left(now) * perMs))
    if (missing <= 0) return 0
    this.#allowance.take(now, missing / perMs)
    this.#counters.gapsFilledMs += missing / perMs
    return missing
  }
}
