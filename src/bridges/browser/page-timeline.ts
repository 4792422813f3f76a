import { TokenBucket } from '../../common/rate-limit.ts'
import { FRAME_MS, FRAME_SAMPLES } from '../../transcode/pcm.ts'
import { Backlog } from '../websocket/backlog.ts'
import { ahead } from './audio-packet.ts'
import type { BrowserLegCounters } from './leg-counters.ts'
import type { BrowserLimits } from './limits.ts'

/** Samples per millisecond. */
const PER_MS = 16
/** Maximum rate of audio (ms per second of real time); the page’s clock is not ours. */
const FASTEST_MS = 1_050
/** Maximum audio accepted at once after a network stall (ms). */
const BURST_MS = 5_000
/** A jump further back than this means that the page’s clock was reset (samples: 2 s). */
const REWIND = 32_000
/** Maximum silence fed per call (ms), so that a stalled process does not catch up on all of it. */
const MOST_FED_MS = 1_000

/**
 * Decides when a page’s audio belongs: places each message on the page’s clock, drops what is outdated or too much, and says
 * how much silence takes the place of what is missing. All counts are frames of 20 ms.
 */
export class PageTimeline {
  /** Frames of silence before the message that was placed last. */
  fill = 0
  /** Its leading frames that were received before. */
  skip = 0
  readonly #counters: BrowserLegCounters
  readonly #limits: BrowserLimits
  readonly #allowance: TokenBucket
  readonly #backlog: Backlog
  /** Timestamp of the next frame; undefined before the first. */
  #expected: number | undefined
  #heardAt: number
  #fedMs = 0

  /** `now`: ms of our clock, as in all methods. */
  constructor(counters: BrowserLegCounters, limits: BrowserLimits, now: number) {
    this.#counters = counters
    this.#limits = limits
    this.#allowance = new TokenBucket(FASTEST_MS, limits.maxGapMs + BURST_MS, now)
    this.#backlog = new Backlog(now)
    this.#heardAt = now
  }

  /** Places `count` frames at timestamp `at`; `fill` and `skip` then hold the result. Returns false if they are too old. */
  place(at: number, count: number, now: number): boolean {
    const counters = this.#counters
    if (this.#backlog.outdated(at / PER_MS, count * FRAME_MS, now)) {
      counters.backlogDroppedMs += count * FRAME_MS
      return false
    }
    this.#heardAt = now
    this.fill = Math.max(0, Math.floor((this.#missing(at, count) - this.#fedMs) / FRAME_MS))
    this.#fedMs = 0
    counters.gapsFilledMs += this.fill * FRAME_MS
    if (this.skip > 0) counters.duplicates++
    return true
  }

  /** Takes one frame, or returns false if there are too many. */
  take(now: number): boolean {
    if (this.#allowance.take(now, FRAME_MS) >= 0) return true
    this.#counters.floodDropped++
    return false
  }

  /** Returns the frames of silence due at `now` if no audio arrives, so that the service detects the pause. */
  silence(now: number): number {
    const quietMs = now - this.#heardAt
    if (quietMs < this.#limits.silenceAfterMs) return 0
    const frames = Math.floor(Math.min(quietMs - this.#fedMs, MOST_FED_MS) / FRAME_MS)
    this.#fedMs += frames * FRAME_MS
    this.#counters.silenceFedMs += frames * FRAME_MS
    return frames
  }

  /** Moves on by the message; sets `skip`, and returns the time missing before it (ms). */
  #missing(at: number, count: number): number {
    const offset = this.#expected === undefined ? 0 : ahead(at, this.#expected)
    this.skip = 0
    if (offset > this.#limits.maxGapMs * PER_MS || offset < -REWIND) {
      this.#counters.pauses++
      this.#expected = at + count * FRAME_SAMPLES
      return 0
    }
    this.skip = Math.min(count, Math.max(0, Math.ceil(-offset / FRAME_SAMPLES)))
    this.#expected = Math.max(0, offset) + (this.#expected ?? at) + (count - this.skip) * FRAME_SAMPLES
    return Math.max(0, offset) / PER_MS
  }
}
