/** Another connection is tried no more often than this (ms). */
const AGAIN_MS = 5_000
/** Without a pause the next connection is made ready this long before the present one ends (ms). */
const PREPARE_MS = 5_000
/** … and takes over this long before (ms). */
const CHANGE_MS = 1_000

/** When a session changes to another connection: in a pause if there is one in time, else just before it has to. Pure. */
export class Renewal {
  #by: number | undefined
  #notBefore = Number.NEGATIVE_INFINITY

  /** Another connection is wanted, asked for at `now`; within `ms`, where the present one ends then. */
  want(now: number, ms = Number.POSITIVE_INFINITY): void {
    this.#by = Math.min(this.#by ?? Number.POSITIVE_INFINITY, now + ms)
  }

  /** A connection has begun: it is not known that another is wanted. */
  begin(): void {
    this.#by = undefined
    this.#notBefore = Number.NEGATIVE_INFINITY
  }

  /** The other connection did not come. */
  failed(now: number): void {
    this.#notBefore = now + AGAIN_MS
  }

  /** Whether to make the other connection ready; `resting`: the speaker pauses, and everything is answered. */
  prepares(now: number, resting: boolean): boolean {
    if (this.#by === undefined || now < this.#notBefore) return false
    return resting || now >= this.#by - PREPARE_MS
  }

  /** Whether the other connection, which is ready, takes over now. */
  changes(now: number, resting: boolean): boolean {
    return this.#by !== undefined && (resting || now >= this.#by - CHANGE_MS)
  }
}
