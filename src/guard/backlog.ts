/** How far behind audio may be and still be taken (ms): what a network brings at once after a stall of up to this length. */
const KEPT_MS = 10_000
/** Further back than this, the sender's clock was set anew (ms). */
const REWIND_MS = 1_000
/** So many messages in a row at the pace of speech, and the sender is as current as it will ever be (0.5 s). */
const PACED = 25
/** Longer than this without a message is a stall, whatever its pace (ms). */
const STALL_MS = 1_000
/** By so much two clocks may drift apart: 0.5 %. */
const DRIFT = 0.005

/**
 * Tells audio that a stall has made too old from audio that is current. A network that stalls, or a machine that stands
 * still, brings a minute of speech in one burst: the newest of it is worth hearing, the oldest only delays the rest. By the
 * sender's own clock the oldest is known as it comes, so nothing has to be held back. Pure: time comes with each call.
 */
export class Backlog {
  /** Our clock less the sender's, for audio that came without delay (ms). */
  #base = Number.NaN
  #at = Number.NaN
  #cameAt: number
  #paced = 0

  /** `now`: ms of our clock, as in `outdated`. */
  constructor(now: number) {
    this.#cameAt = now
  }

  /** Whether audio of `ms` that belongs at `at` on the sender's clock (ms) and comes `now` is too old to be taken. */
  outdated(at: number, ms: number, now: number): boolean {
    const gap = now - this.#cameAt
    this.#cameAt = now
    // Audio without a time cannot be late.
    if (Number.isNaN(at)) return false
    const restarted = at < this.#at - REWIND_MS
    this.#at = at
    // A sender that goes on at the pace of speech has nothing in hand: it is behind for good, not catching up.
    this.#paced = gap >= ms / 2 && gap <= STALL_MS ? this.#paced + 1 : 0
    const delay = now - at
    const base = this.#base + gap * DRIFT
    this.#base = restarted || this.#paced >= PACED || !(delay >= base) ? delay : base
    return delay - this.#base > KEPT_MS
  }
}
