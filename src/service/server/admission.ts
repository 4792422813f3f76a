import type { Overload } from '../../guard/overload.ts'
import { ServiceError } from './service-error.ts'
import type { Workload } from './workload.ts'

/** When a place may be free again: nobody knows, but asking at once is of no use (ms). */
const PERHAPS_FREE_MS = 5_000

/** Places for sessions: beyond what the machine can serve in time, a clear refusal serves everybody better. */
export class Admission {
  readonly size: number
  readonly #workload: Pick<Workload, 'assertKeepsUp'>
  readonly #overload: Pick<Overload, 'turns'> | undefined
  #taken = 0

  constructor(size: number, workload: Pick<Workload, 'assertKeepsUp'>, overload?: Pick<Overload, 'turns'>) {
    if (!(size >= 1)) throw new RangeError(`a service has room for at least 1 session, got ${size}`)
    this.size = size
    this.#workload = workload
    this.#overload = overload
  }

  get taken(): number {
    return this.#taken
  }

  /** Throws `too_many_sessions` when all places are taken, `service_behind` when those who have one have to wait. */
  assertRoom(): void {
    this.#assertPlace()
    this.#workload.assertKeepsUp()
    const strain = this.#overload?.turns()
    if (!strain) return
    const why = strain === 'late' ? 'does its work late' : 'is short of memory'
    throw new ServiceError('service_behind', `the service ${why}: try again in a few seconds`, {
      retryAfterMs: PERHAPS_FREE_MS,
    })
  }

  /** Takes a place; disposing gives it back, once. Throws `too_many_sessions`. */
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
      `all ${this.size} sessions are taken: try again when one has ended, or set maxSessions higher`,
      { retryAfterMs: PERHAPS_FREE_MS },
    )
  }
}
