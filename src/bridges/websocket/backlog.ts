/** Maximum delay of audio that is accepted (ms): the length of a stall after which a network can deliver everything. */
const KEPT_MS = 10_000
/** A larger step back means that the sender's clock was reset (ms). */
const REWIND_MS = 1_000
/** After this number of messages in a row at real-time pace, the sender's delay is its normal delay (0.5 s). */
const PACED = 25
/** A gap between messages above this is a stall, at any pace (ms). */
const STALL_MS = 1_000
/** Tolerated drift between two clocks: 0.5 %. */
const DRIFT = 0.005

/**
 * Detects audio that is outdated after a stall. After a network stall or a suspended machine, a minute of speech can
 * arrive in one burst: its newest part is useful, the oldest part only delays the rest. The sender's clock identifies
 * outdated audio on arrival, so no buffering is necessary. Pure: each call passes the time.
 */
export class Backlog {
  /** Our clock minus the sender's, for audio without delay (ms). */
  #base = Number.NaN
  #at = Number.NaN
  #cameAt: number
  #paced = 0

  /** `now`: ms of our clock, as in `outdated`. */
  constructor(now: number) {
    this.#cameAt = now
  }

  /** Returns true if audio of `ms` at position `at` of the sender's clock (ms), which arrives at `now`, is too old. */
  outdated(at: number, ms: number, now: number): boolean {
    const gap = now - this.#cameAt
    this.#cameAt = now
    // Audio without a timestamp cannot be late.
    if (Number.isNaN(at)) return false
    const restarted = at < this.#at - REWIND_MS
    this.#at = at
    // A sender that continues at real-time pace has no backlog: its delay is permanent.
    this.#paced = gap >= ms / 2 && gap <= STALL_MS ? this.#paced + 1 : 0
    const delay = now - at
    const base = this.#base + gap * DRIFT
    this.#base = restarted || this.#paced >= PACED || !(delay >= base) ? delay : base
    return delay - this.#base > KEPT_MS
  }
}
