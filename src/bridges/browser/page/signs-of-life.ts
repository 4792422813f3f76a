/**
 * What is known about the sound of this page: `alive`, frames arrive; `paused`, the browser has stopped the sound (a phone call,
 * a locked screen, or it waits for a tap); `dead`, it claims to run, and no frames arrive.
 */
export type Vital = 'alive' | 'paused' | 'dead'

/** Due repair: continuing the sound, or opening it again. */
export type Repair = 'resume' | 'reopen'

/** Time without a frame after which the sound is not alive (ms). */
const QUIET_MS = 1_000
/** A check that comes later than this means that the page itself stood still, so frames wait behind it (ms). */
const STOOD_STILL_MS = 900
const RESUME_EVERY_MS = 1_000
/** Time for which a dead device, or a pause that a tap did not end, is waited for; and between attempts (ms). */
const REOPEN_AFTER_MS = 3_000
const REOPEN_EVERY_MS = 10_000

/** Trusts nothing but frames of the microphone, which arrive every 20 ms while there is sound. Times in ms of one clock. */
export class SignsOfLife {
  #vital: Vital = 'alive'
  #framedAt = 0
  #checkedAt = 0
  #lostAt = 0
  #tappedAt = Number.POSITIVE_INFINITY
  #resumedAt = Number.NEGATIVE_INFINITY
  #reopenedAt = Number.NEGATIVE_INFINITY

  /** The sound was opened. */
  begin(now: number): void {
    this.#vital = 'alive'
    this.#framedAt = this.#checkedAt = now
  }

  /** A frame arrived. */
  frame(now: number): void {
    this.#framedAt = now
  }

  /** The user touched the page, which allows it to play. */
  tap(now: number): void {
    this.#tappedAt = Math.min(this.#tappedAt, now)
    this.#resumedAt = Number.NEGATIVE_INFINITY
  }

  /** Called a few times a second. `running`: what the browser claims. */
  check(now: number, running: boolean): Vital {
    const stoodStill = now - this.#checkedAt > STOOD_STILL_MS
    this.#checkedAt = now
    const before = this.#vital
    if (now - this.#framedAt < QUIET_MS) this.#vital = 'alive'
    else if (!running) this.#vital = 'paused'
    else if (!stoodStill) this.#vital = 'dead'
    if (this.#vital === 'alive') this.#tappedAt = Number.POSITIVE_INFINITY
    else if (before === 'alive') this.#lostAt = now
    return this.#vital
  }

  /** Returns the repair that is due, once. */
  repair(now: number): Repair | undefined {
    if (this.#vital === 'alive') return undefined
    const since = this.#vital === 'dead' ? this.#lostAt : this.#tappedAt
    if (now - since >= REOPEN_AFTER_MS && now - this.#reopenedAt >= REOPEN_EVERY_MS) {
      this.#reopenedAt = now
      return 'reopen'
    }
    if (this.#vital !== 'paused' || now - this.#resumedAt < RESUME_EVERY_MS) return undefined
    this.#resumedAt = now
    return 'resume'
  }
}
