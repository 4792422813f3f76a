/** Time for decoding in one turn of the event loop (ms): with the last slice, less than 2 ms. */
const TURN_MS = 1.5

/** mp3 frames decoded at a time for one job: more than half a second of audio, less than 0.5 ms of work. */
const SLICE = 16

/** Something that needs decoding from time to time. */
export interface DecodeJob {
  /** Calls `wake` when there is work again after `decode` has returned false. */
  scheduled(wake: () => void): void
  /** True if `decode` has something to do, or would return false. */
  readonly due: boolean
  /** Decodes at most `mp3Frames`, or as much of samples. Returns false once nothing is left to decode. */
  decode(mp3Frames: number): boolean
  /** Stops decoding. */
  close(): void
}

export interface DecodeQueueOptions {
  /** Receives exceptions from decoding, which affect only their own job. */
  readonly failed?: (error: unknown) => void
  /** For the time limit of a turn (ms); default `performance.now`. */
  readonly now?: () => number
}

/**
 * Spreads the decoding of voices over ticks, to keep each turn of the event loop short. Jobs take turns: those that have
 * to wait for the next tick come first in it.
 */
export class DecodeQueue {
  readonly #jobs = new Set<DecodeJob>()
  readonly #failed: (error: unknown) => void
  readonly #now: () => number

  constructor({ failed = () => {}, now = () => performance.now() }: DecodeQueueOptions = {}) {
    this.#failed = failed
    this.#now = now
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
    const until = this.#now() + TURN_MS
    let left = this.#jobs.size
    for (const job of this.#jobs) {
      if (left-- === 0) return
      if (!job.due) continue
      try {
        this.#jobs.delete(job)
        if (job.decode(SLICE)) this.#jobs.add(job)
      } catch (error) {
        this.#failed(error)
        this.#jobs.delete(job)
        this.#close(job)
      }
      if (this.#now() >= until) return
    }
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
