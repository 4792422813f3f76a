/** Time for decoding in one turn of the event loop (ms): with the last slice, less than 2 ms. */
const TURN_MS = 1.5

/** Turns that a tick takes at most, with other events in between: 12 of 20 ms. */
const MOST_TURNS = 8

/** Something that needs decoding from time to time. */
export interface DecodeJob {
  /** Calls `wake` when there is work again after `decode` has returned false. */
  scheduled(wake: () => void): void
  /** True if `decode` has something to do, or would return false. */
  readonly due: boolean
  /** True if a listener needs audio with the next ticks; then `due` is true as well. */
  readonly urgent: boolean
  /** Decodes one slice: at most 0.5 ms of work. Returns false once no more can be decoded. */
  decode(): boolean
  /** Stops decoding. */
  close(): void
}

export interface DecodeQueueOptions {
  /** Receives exceptions from decoding, which affect only their own job. */
  readonly failed?: (error: unknown) => void
  /** For the time limit of a turn (ms); default `performance.now`. */
  readonly now?: () => number
  /** Runs `task` once other events had their turn; default `setImmediate`. */
  readonly defer?: (task: () => void) => void
}

/**
 * Spreads the decoding of voices over turns of the event loop, to keep each of them short. A turn starts with the urgent
 * jobs, then those that wait longest; a tick continues in further turns until no job is due.
 */
export class DecodeQueue {
  readonly #jobs = new Set<DecodeJob>()
  readonly #failed: (error: unknown) => void
  readonly #now: () => number
  readonly #defer: (task: () => void) => void
  /** The rest of a tick is deferred. */
  #deferred = false
  /** Turns of the current tick so far. */
  #turns = 0

  constructor(options: DecodeQueueOptions = {}) {
    const { failed = () => {}, now = () => performance.now(), defer = setImmediate } = options
    this.#failed = failed
    this.#now = now
    this.#defer = defer
  }

  /** Decodes `job`, starting with the next tick, until it is complete. */
  add(job: DecodeJob): void {
    job.scheduled(() => this.#jobs.add(job))
    this.#jobs.add(job)
  }

  /** Jobs that are not complete. */
  get size(): number {
    return this.#jobs.size
  }

  tick(): void {
    this.#turns = 0
    this.#turn()
  }

  #turn(): void {
    this.#turns++
    const until = this.#now() + TURN_MS
    if (this.#serve(until, true) && this.#serve(until, false)) return
    this.#continueLater()
  }

  /** Decodes a slice of each job that is due, or of the urgent ones. Returns false if the time is up. */
  #serve(until: number, urgentOnly: boolean): boolean {
    let left = this.#jobs.size
    for (const job of this.#jobs) {
      if (left-- === 0) break
      if (urgentOnly ? !job.urgent : !job.due) continue
      this.#decode(job)
      if (this.#now() >= until) return false
    }
    return true
  }

  #decode(job: DecodeJob): void {
    // Moves the job to the end of the queue.
    this.#jobs.delete(job)
    try {
      if (job.decode()) this.#jobs.add(job)
    } catch (error) {
      this.#failed(error)
      this.#jobs.delete(job)
      this.#close(job)
    }
  }

  #continueLater(): void {
    if (this.#deferred || this.#turns >= MOST_TURNS) return
    this.#deferred = true
    this.#defer(() => {
      this.#deferred = false
      this.#turn()
    })
  }

  /** Closes and removes all jobs. */
  clear(): void {
    for (const job of this.#jobs) this.#close(job)
    this.#jobs.clear()
  }

  #close(job: DecodeJob): void {
    try {
      job.close()
    } catch (error) {
      this.#failed(error)
    }
  }
}
