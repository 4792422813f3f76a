/** Time for decoding in one turn of the event loop (ms): with the last slice, less than 2 ms. */
const TURN_MS = 1.5

/** Something that decodes in slices of at most 0.5 ms. */
export interface DecodeJob {
  /** Frames decoded that its listeners have not read. */
  readonly ahead: number
  /** Decodes one slice. Returns false if nothing is left, until it is added again. */
  decode(): boolean
  /** Stops decoding. */
  close(): void
}

export interface DecodeQueueOptions {
  /** Receives exceptions from decoding, which end only their own job. */
  readonly failed?: (error: unknown) => void
  /** For the time limit of a turn (ms); default `performance.now`. */
  readonly now?: () => number
  /** Runs `task` once other events had their turn; default `setImmediate`. */
  readonly defer?: (task: () => void) => void
}

/**
 * Decodes what arrives in short turns of the event loop: first for those listeners who have least to play. Every tick of the
 * relay is a turn as well.
 */
export class DecodeQueue {
  readonly #jobs = new Set<DecodeJob>()
  readonly #failed: (error: unknown) => void
  readonly #now: () => number
  readonly #defer: (task: () => void) => void
  #deferred = false
  /** Time for decoding that is left in this turn (ms). */
  #leftMs = TURN_MS

  constructor({
    failed = () => {},
    now = () => performance.now(),
    defer = setImmediate,
  }: DecodeQueueOptions = {}) {
    this.#failed = failed
    this.#now = now
    this.#defer = defer
  }

  /** Jobs with something to decode. */
  get size(): number {
    return this.#jobs.size
  }

  /** `job` has something to decode. Its first slice is decoded now, so that it can be played, if there is time. Idempotent. */
  add(job: DecodeJob): void {
    this.#jobs.add(job)
    if (this.#leftMs > 0) this.#decode(job)
    this.#continueLater()
  }

  /** Decodes for one turn. */
  tick(): void {
    this.#leftMs = TURN_MS
    for (let job = this.#next(); job && this.#leftMs > 0; job = this.#next()) this.#decode(job)
    this.#continueLater()
  }

  /** Closes and removes all jobs. */
  clear(): void {
    for (const job of this.#jobs) this.#close(job)
    this.#jobs.clear()
  }

  #next(): DecodeJob | undefined {
    let next: DecodeJob | undefined
    for (const job of this.#jobs) if (!next || job.ahead < next.ahead) next = job
    return next
  }

  #decode(job: DecodeJob): void {
    const begun = this.#now()
    try {
      if (!job.decode()) this.#jobs.delete(job)
    } catch (error) {
      this.#jobs.delete(job)
      this.#failed(error)
      this.#close(job)
    }
    this.#leftMs -= this.#now() - begun
  }

  #continueLater(): void {
    if (this.#deferred || this.#jobs.size === 0) return
    this.#deferred = true
    this.#defer(() => {
      this.#deferred = false
      this.tick()
    })
  }

  #close(job: DecodeJob): void {
    try {
      job.close()
    } catch (error) {
      this.#failed(error)
    }
  }
}
