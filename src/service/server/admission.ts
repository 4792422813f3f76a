import type { Overload } from '../../net/overload.ts'
import { ServiceError } from './service-error.ts'
import type { Workload } from './workload.ts'

/** Suggested retry delay (ms). It cannot be predicted when a session ends. */
const PERHAPS_FREE_MS = 5_000

/**
 * Session slots. Beyond what the machine can serve in time, rejecting new sessions is better than slowing down all of
 * them.
 */
export class Admission {
  readonly size: number
  readonly #workload: Pick<Workload, 'assertKeepsUp'>
  readonly #overload: Pick<Overload, 'turns'> | undefined
  #taken = 0

  constructor(size: number, workload: Pick<Workload, 'assertKeepsUp'>, overload?: Pick<Overload, 'turns'>) {
    if (!(size >= 1)) throw new RangeError(`the number of sessions must be at least 1, got ${size}`)
    this.size = size
    this.#workload = workload
    this.#overload = overload
  }

  get taken(): number {
    return this.#taken
  }

  /** Throws `too_many_sessions` when all slots are in use, `service_behind` when open sessions already have to wait. */
  assertRoom(): void {
    this.#assertPlace()
    this.#workload.assertKeepsUp()
    const strain = this.#overload?.turns()
    if (!strain) return
    const why = strain === 'late' ? 'is overloaded' : 'is short of memory'
    throw new ServiceError('service_behind', `the service ${why}: try again in a few seconds`, {
      retryAfterMs: PERHAPS_FREE_MS,
    })
  }

  /** Takes a slot; disposing returns it (idempotent). Throws `too_many_sessions`. */
  take(): Disposable {
    this.#assertPlace()
    this.#taken++
    let held = true
    return {
      [Symbol.dispose]: () => {
        if (held) this.#taken--
        held = false
      },
    }
  }

  #assertPlace(): void {
    if (this.#taken < this.size) return
    throw new ServiceError(
      'too_many_sessions',
      `all ${this.size} sessions are in use: try again later, or raise maxSessions`,
      { retryAfterMs: PERHAPS_FREE_MS },
    )
  }
}
