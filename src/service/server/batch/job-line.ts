import { ServiceError } from '../service-error.ts'

/** A place in the line, from the first byte of a request to the last of its answer. Disposing leaves the line, once. */
export interface LinePlace extends Disposable {
  /** Resolves when it is this one's turn to work; rejects with the reason of `signal`. */
  turn(signal: AbortSignal): Promise<void>
}

/** Batch jobs one after the other, or a few at a time, so that live sessions keep their cores; the rest wait, not too many. */
export class JobLine {
  readonly #atWork: number
  readonly #room: number
  #inside = 0
  #working = 0
  #waiting: (() => void)[] = []

  /** Of `room` jobs, `atWork` work at a time. */
  constructor(atWork: number, room: number) {
    if (!(atWork >= 1 && room >= 1))
      throw new RangeError(`a line has room for at least 1 job and works on 1, got ${room} and ${atWork}`)
    this.#atWork = atWork
    this.#room = room
  }

  /** Jobs in the line, working or not. */
  get inside(): number {
    return this.#inside
  }

  /** Throws `too_many_jobs` when there is no room. */
  join(): LinePlace {
    if (this.#inside >= this.#room)
      throw new ServiceError(
        'too_many_jobs',
        `${this.#room} files are being worked on already, try again later`,
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

  /** The turn passes on; without anybody to take it, it is free. */
  #next(): void {
    const first = this.#waiting.shift()
    if (first) first()
    else this.#working--
  }
}
