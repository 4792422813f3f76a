import { ServiceError } from '../service-error.ts'
import type { Followed } from '../workload.ts'
import type { Outlet } from './outlet.ts'

export interface PaceLimits {
  /** Delay above which the client of a session is notified (ms). */
  readonly maxBehindMs: number
  /** Delay above which a session is ended (ms). */
  readonly endBehindMs: number
}

export interface PaceParts {
  readonly outlet: Outlet
  readonly limits: PaceLimits
  /** Time the oldest speech has been waiting for the recognizer (ms). */
  readonly behind: () => number
  /** Time the oldest speech has been waiting for its result, at any engine (ms). */
  readonly late: () => number
}

/**
 * Checks that one session keeps up with its speech. Its client is notified once when it falls behind, until it has
 * caught up. A session that is far behind ends, because such a late translation is useless.
 */
export class Pace implements Followed {
  readonly #parts: PaceParts
  #told = false

  constructor(parts: PaceParts) {
    this.#parts = parts
  }

  get behindMs(): number {
    return this.#parts.behind()
  }

  judge(): void {
    const { outlet, limits, late } = this.#parts
    const { maxBehindMs, endBehindMs } = limits
    const lateMs = late()
    const shown = `the results are ${Math.round(lateMs)} ms behind the speech`
    if (lateMs > endBehindMs) {
      outlet.fault(new ServiceError('too_far_behind', `${shown}, sessions end at ${endBehindMs} ms`))
    } else if (lateMs > maxBehindMs) {
      if (!this.#told)
        outlet.fault(
          new ServiceError('falling_behind', `${shown}, more than ${maxBehindMs} ms: still trying`),
        )
      this.#told = true
    } else if (lateMs < maxBehindMs / 2) this.#told = false
  }
}
