import { createHash } from 'node:crypto'
import type { Clock } from '../../common/clock.ts'
import { ControlError } from './control-error.ts'

/** How long a response is kept (ms). */
const KEEP_MS = 24 * 3_600_000
/** Maximum number of responses; above it, the oldest are removed early. */
const MOST_KEPT = 10_000

/** A response: a value or an error. */
export interface Answered {
  readonly status: number
  readonly body: unknown
}

interface Known {
  readonly digest: string
  readonly answer: Promise<Answered>
  readonly until: number
  settled: boolean
}

/**
 * Executes requests with an `Idempotency-Key` once: a repeated request gets the same response for 24 h, even while the
 * first is in progress. Retryable failures (503) are not kept, so that a retry can succeed.
 */
export class Idempotency {
  readonly #clock: Clock
  readonly #most: number
  /** In insertion order, which is also the order of expiry. */
  readonly #known = new Map<string, Known>()
  /** Responses removed early. */
  evicted = 0

  constructor(clock: Clock, most = MOST_KEPT) {
    this.#clock = clock
    this.#most = most
  }

  get size(): number {
    return this.#known.size
  }

  /**
   * Returns the response to the request of `holder` under `key`: that of `work`, or of the first request. `request` is
   * everything that identifies a request. Throws `idempotency_reused` for another request with the same key, or
   * `capacity` when too many are in progress.
   */
  async once(
    holder: string,
    key: string,
    request: unknown,
    work: () => Promise<Answered>,
  ): Promise<{ readonly answered: Answered; readonly again: boolean }> {
    const place = `${holder} ${key}`
    const digest = createHash('sha256').update(JSON.stringify(request)).digest('base64')
    this.#forgetOld()
    const known = this.#known.get(place)
    if (known && known.digest !== digest) throw new ControlError('idempotency_reused')
    if (known) return { answered: await known.answer, again: true }
    if (this.#known.size >= this.#most && !this.#evict()) throw new ControlError('capacity')
    const fresh: Known = {
      digest,
      answer: work(),
      until: this.#clock.now() + KEEP_MS,
      settled: false,
    }
    this.#known.set(place, fresh)
    const answered = await fresh.answer
    fresh.settled = true
    if (answered.status === 503) this.#known.delete(place)
    return { answered, again: false }
  }

  #forgetOld(): void {
    const now = this.#clock.now()
    for (const [place, { until }] of this.#known) {
      if (until > now) return
      this.#known.delete(place)
    }
  }

  #evict(): boolean {
    for (const [place, known] of this.#known) {
      if (!known.settled) continue
      this.evicted++
      return this.#known.delete(place)
    }
    return false
  }
}
