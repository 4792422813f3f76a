import type { Outlet } from './outlet.ts'
import { ServiceError } from './service-error.ts'
import type { Followed } from './workload.ts'

export interface PaceLimits {
  /** A session further behind is told so (ms). */
  readonly maxBehindMs: number
  /** A session further behind than this is ended (ms). */
  readonly endBehindMs: number
}

export interface PaceParts {
  readonly outlet: Outlet
  readonly limits: PaceLimits
  /** How long the oldest of what was said has been waiting for the recogniser (ms). */
  readonly behind: () => number
  /** … or for its result, whatever engine it is with (ms). */
  readonly late: () => number
}

/**
 * Whether one session keeps up with its voice. Its client is told when it does not, once until it has caught up; a
 * session that is hopelessly behind ends, since a translation of long ago helps nobody.
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
    const shown = `the results are ${Math.round(lateMs)} ms behind the voice`
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
