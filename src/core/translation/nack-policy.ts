/**
 * Maximum number of fragments in flight: a replay of half a minute is paced by the service instead of being sent at
 * once.
 */
const WINDOW = 25
/** Pause after the service reported a failed fragment (ms). */
const PAUSE_MS = 100
/** A connection that refuses audio continuously for this long is replaced (ms). */
const PATIENCE_MS = 5_000

/** The reaction to fragments that the service reports as failed. Pure. */
export class NackPolicy {
  #holdUntil = Number.NEGATIVE_INFINITY
  #since: number | undefined

  /** A new connection was established. */
  begin(): void {
    this.#holdUntil = Number.NEGATIVE_INFINITY
    this.#since = undefined
  }

  /** Returns true if the connection should be replaced. */
  acked(ok: boolean, now: number): boolean {
    if (ok) this.#since = undefined
    else {
      this.#since ??= now
      this.#holdUntil = now + PAUSE_MS
    }
    return this.#since !== undefined && now - this.#since > PATIENCE_MS
  }

  /** True while nothing is sent. */
  holds(now: number): boolean {
    return now < this.#holdUntil
  }

  /**
   * Maximum number of fragments in flight. After a refusal, one at a time until one is accepted: fragments after a refused
   * one would be accepted out of order.
   */
  get window(): number {
    return this.#since === undefined ? WINDOW : 1
  }
}
