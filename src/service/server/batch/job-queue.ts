import { PERHAPS_FREE_MS } from '../capacity.ts'
import { ServiceError } from '../errors.ts'

/**
 * A place in the queue, from the complete request to the last byte of its response. Disposing leaves the queue
 * (idempotent).
 */
export interface LinePlace extends Disposable {
  /** Resolves when this job can start; rejects with the reason of `signal`. */
  turn(signal: AbortSignal): Promise<void>
}

interface Job {
  readonly key: string
  /** Ends the job with an error. */
  readonly end: (error: ServiceError) => void
  state: 'waiting' | 'working'
  /** Starts the job; undefined until it asks for its turn. */
  start: (() => void) | undefined
}

/**
 * Bounded queue that runs one batch job, or a few, at a time, which leaves CPU cores to live sessions. It is fair among
 * keys: they take turns, and a job for which there is no place takes that of the key that holds most, if one of its jobs
 * still waits.
 */
export class JobQueue {
  readonly #atWork: number
  readonly #room: number
  /** In order of arrival. */
  readonly #jobs = new Set<Job>()
  /** Number of the last turn of each key with jobs in the queue. */
  readonly #turns = new Map<string, number>()
  #turn = 0
  #working = 0

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
    return this.#jobs.size
  }

  /** Throws `too_many_jobs` when there is no place for a job of `key`. */
  assertRoom(key: string): void {
    if (this.#jobs.size >= this.#room && !this.#crowding(key)) throw tooManyJobs(this.#room)
  }

  /**
   * Takes a place for a job of `key`. `end` is called with `too_many_jobs` if another key needs the place before the job
   * has started. Throws like `assertRoom`.
   */
  join(key: string, end: (error: ServiceError) => void): LinePlace {
    this.assertRoom(key)
    const crowding = this.#jobs.size >= this.#room ? this.#crowding(key) : undefined
    if (crowding) {
      this.#leave(crowding)
      crowding.end(tooManyJobs(this.#room))
    }
    const job: Job = { key, end, state: 'waiting', start: undefined }
    this.#jobs.add(job)
    return {
      turn: signal => this.#waitFor(job, signal),
      [Symbol.dispose]: () => this.#leave(job),
    }
  }

  async #waitFor(job: Job, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      if (job.state === 'waiting') job.start = undefined
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave)
    job.start = resolve
    this.#next()
    await promise.finally(() => signal.removeEventListener('abort', leave))
  }

  #leave(job: Job): void {
    if (!this.#jobs.delete(job)) return
    if (job.state === 'working') this.#working--
    if (!Array.from(this.#jobs).some(({ key }) => key === job.key)) this.#turns.delete(job.key)
    this.#next()
  }

  /** Starts the jobs whose turn it is: first that of the key that has waited longest for one. */
  #next(): void {
    while (this.#working < this.#atWork) {
      let first: Job | undefined
      for (const job of this.#jobs) {
        if (job.state !== 'waiting' || !job.start) continue
        if (!first || this.#lastTurn(job) < this.#lastTurn(first)) first = job
      }
      if (!first) return
      first.state = 'working'
      this.#working++
      this.#turns.set(first.key, ++this.#turn)
      first.start?.()
    }
  }

  #lastTurn({ key }: Job): number {
    return this.#turns.get(key) ?? 0
  }

  /** Returns the newest waiting job of the key with most places, if that key would still hold as many as `key`. */
  #crowding(key: string): Job | undefined {
    const held = new Map<string, number>()
    for (const job of this.#jobs) held.set(job.key, (held.get(job.key) ?? 0) + 1)
    let crowding: Job | undefined
    let most = (held.get(key) ?? 0) + 2
    for (const job of this.#jobs) {
      const count = held.get(job.key)!
      if (job.state !== 'waiting' || count < most) continue
      crowding = job
      most = count
    }
    return crowding
  }
}

function tooManyJobs(room: number): ServiceError {
  return new ServiceError('too_many_jobs', `${room} files are already being processed: try again later`, {
    retryAfterMs: PERHAPS_FREE_MS,
  })
}
