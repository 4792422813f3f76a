import { type Clock, withTimeout } from '../../common/clock.ts'
import type { Logger } from '../../common/log.ts'

/** A list is used for this long, then refreshed in the background (ms). */
const FRESH_MS = 300_000
/** Delay before retrying a service that did not answer (ms). */
const RETRY_MS = 15_000

export interface ServiceListOptions<T> {
  /** Fetches the current list. May reject. */
  readonly fetch: () => Promise<readonly T[]>
  /** Returns an entry in the form to store, or nothing for an invalid one. Default: unchanged. */
  readonly accept?: (entry: T) => readonly T[]
  /** Name of the entries in the log, such as `languages`. */
  readonly what: string
  readonly clock: Clock
  readonly log: Logger
}

/** Cache of a list of the service. While the service is unavailable, the last list is used. */
export class ServiceList<T> {
  readonly #options: ServiceListOptions<T>
  #known: readonly T[] | undefined
  #fetchAgainAt = Number.NEGATIVE_INFINITY
  #fetching: Promise<void> | undefined

  constructor(options: ServiceListOptions<T>) {
    this.#options = options
  }

  /** Returns the newest known list. Without one, waits up to `waitMs` and may return undefined. Never rejects. */
  async get(waitMs: number): Promise<readonly T[] | undefined> {
    const { clock } = this.#options
    if (clock.now() >= this.#fetchAgainAt) this.#fetching ??= this.#fetch()
    if (this.#known || !this.#fetching) return this.#known
    await withTimeout(clock, waitMs, this.#fetching)
    return this.#known
  }

  /** The newest known list, without waiting; empty if unknown. */
  get known(): readonly T[] {
    return this.#known ?? []
  }

  async #fetch(): Promise<void> {
    const { fetch, accept = unchanged, what, clock, log } = this.#options
    try {
      const list = (await fetch()).flatMap(accept)
      // An empty list comes from a service that is not ready, so a previous list is kept.
      if (list.length > 0) this.#known = list
      this.#fetchAgainAt = clock.now() + (list.length > 0 ? FRESH_MS : RETRY_MS)
    } catch (error) {
      this.#fetchAgainAt = clock.now() + RETRY_MS
      log.warn({ reason: String(error) }, `service ${what} not fetched`)
    } finally {
      this.#fetching = undefined
    }
  }
}

function unchanged<T>(entry: T): readonly T[] {
  return [entry]
}
