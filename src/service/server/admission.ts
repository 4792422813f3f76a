import { ServiceError } from './service-error.ts'

/** Places for sessions: beyond what the machine can serve in time, a clear refusal serves everybody better. */
export class Admission {
  readonly size: number
  #taken = 0

  constructor(size: number) {
    if (!(size >= 1)) throw new RangeError(`a service has room for at least 1 session, got ${size}`)
    this.size = size
  }

  get taken(): number {
    return this.#taken
  }

  /** Throws `too_many_sessions` when all places are taken. */
  assertRoom(): void {
    if (this.#taken >= this.size)
      throw new ServiceError('too_many_sessions', `all ${this.size} sessions are taken, try again later`)
  }

  /** Takes a place; disposing gives it back, once. */
  take(): Disposable {
    this.assertRoom()
    this.#taken++
    let held = true
    return {
      [Symbol.dispose]: () => {
        if (held) this.#taken--
        held = false
      },
    }
  }
}
