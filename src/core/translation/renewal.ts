/** Minimum time between two attempts to connect (ms). */
const AGAIN_MS = 5_000
/** Without a pause in speech, the next connection is prepared this long before the current one ends (ms). */
const PREPARE_MS = 5_000
/** … and takes over this long before (ms). */
const CHANGE_MS = 1_000

/**
 * Decides when a session switches to a new connection: in a pause if one occurs in time, otherwise just before the
 * deadline. Pure.
 */
export class Renewal {
  #by: number | undefined
  #notBefore = Number.NEGATIVE_INFINITY

  /** Requests a new connection at `now`, within `ms` if the current one ends by then. */
  want(now: number, ms = Number.POSITIVE_INFINITY): void {
    this.#by = Math.min(this.#by ?? Number.POSITIVE_INFINITY, now + ms)
  }

  /** A new connection was established; clears the request. */
  begin(): void {
    this.#by = undefined
    this.#notBefore = Number.NEGATIVE_INFINITY
  }

  /** The new connection could not be established. */
  failed(now: number): void {
    this.#notBefore = now + AGAIN_MS
  }

  /** True if the new connection should be prepared. `resting`: the speaker pauses and all speech is answered. */
  prepares(now: number, resting: boolean): boolean {
    if (this.#by === undefined || now < this.#notBefore) return false
    return resting || now >= this.#by - PREPARE_MS
  }

  /** True if the new connection, once ready, should take over now. */
  changes(now: number, resting: boolean): boolean {
    return this.#by !== undefined && (resting || now >= this.#by - CHANGE_MS)
  }
}
