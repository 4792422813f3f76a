import { ServiceError } from '../service-error.ts'

/**
 * A place in the queue, from the first byte of a request to the last byte of its response. Disposing leaves the queue
 * (idempotent).
 */
export interface LinePlace extends Disposable {
  /** Resolves when this job can start; rejects with the reason of `signal`. */
  turn(signal: AbortSignal): Promise<void>
}

/** Bounded queue that runs one batch job, or a few, at a time, which leaves CPU cores to live sessions. */
export class JobLine {
  readonly #atWork: number
  readonly #room: number
  #inside = 0
  #working = 0
  #waiting: (() => void)[] = []

  /** Admits up to `room` jobs, of which `atWork` run at a time. */
  constructor(atWork: number, room: number) {
    if (!(atWork >= 1 && room >= 1))
      throw new RangeError(
        `a queue needs room for at least 1 job and at least 1 worker, got ${room} and ${atWork}`,
      )
    this.#atWork = atWork
    this.#room = room
  }

  /** Jobs in the queue, running or not. */
  get inside(): number {
    return this.#inside
  }

  /** Throws `too_many_jobs` when the queue is full. */
  join(): LinePlace {
    if (this.#inside >= this.#room)
      throw new ServiceError(
        'too_many_jobs',
        `${this.#room} files are already being processed: try again later`,
      )
    this.#inside++
    let state: 'waiting' | 'working' | 'gone' = 'waiting'
    return {
      turn: async signal => {
        await this.#turn(signal)
        state = 'working'
      },
      [Symbol.dispose]: () => {
        if (state === 'gone') return
        this.#inside--
        if (state === 'working') this.#next()
        state = 'gone'
      },
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#working < this.#atWork) {
      this.#working++
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      this.#waiting = this.#waiting.filter(each => each !== resolve)
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave)
    this.#waiting.push(resolve)
    await promise.finally(() => signal.removeEventListener('abort', leave))
  }

  /** Passes the slot to the next job, or frees it when none is waiting. */
  #next(): void {
    const first = this.#waiting.shift()
    if (first) first()
    else this.#working--
  }
}
