import { createHash } from 'node:crypto'
import type { Clock } from '../../common/clock.ts'
import type { Fleet } from '../../core/model/fleet.ts'
import { ControlError } from './errors.ts'
import { type Answered, type Executed, SharedAnswers } from './shared-answers.ts'

export type { Answered, Executed }

/** Lifetime of a stored response (ms). */
const KEEP_MS = 24 * 3_600_000
/** Maximum number of responses; above it, the oldest are removed early. */
const MOST_KEPT = 10_000

interface Known {
  readonly digest: string
  readonly answer: Promise<Answered>
  readonly until: number
  settled: boolean
}

export interface IdempotencyOptions {
  /** Maximum number of responses kept here. */
  readonly most?: number | undefined
  /** A request is executed once by all its nodes. Default: by this process. */
  readonly fleet?: Fleet | undefined
}

/**
 * Executes requests with an `Idempotency-Key` once: a repeated request gets the same response for 24 h, even while the
 * first is in progress. Retryable failures (503) are not kept, so that a retry can succeed.
 */
export class Idempotency implements Disposable {
  readonly #clock: Clock
  readonly #most: number
  /** In insertion order, which is also the order of expiry. */
  readonly #known = new Map<string, Known>()
  /** Absent: this process is alone. */
  readonly #shared: SharedAnswers | undefined

  constructor(clock: Clock, { most = MOST_KEPT, fleet }: IdempotencyOptions = {}) {
    this.#clock = clock
    this.#most = most
    if (fleet && fleet.status !== 'alone')
      this.#shared = new SharedAnswers(fleet, place => this.#known.get(place)?.answer)
  }

  get size(): number {
    return this.#known.size
  }

  /**
   * Returns the response to the request of `holder` under `key`: that of `work`, or of the first request, here or at another
   * node. `request` is everything that identifies a request. Throws `idempotency_reused` for another request with the same
   * key, `capacity` when too many are in progress, `not_now` if the node of the first request ended before its response,
   * or `BridgeError` `FLEET_AWAY`.
   */
  async once(
    holder: string,
    key: string,
    request: unknown,
    work: () => Promise<Answered>,
  ): Promise<Executed> {
    const place = this.#shared?.placeOf(holder, key) ?? `${holder} ${key}`
    const digest = createHash('sha256').update(JSON.stringify(request)).digest('base64')
    this.#forgetOld()
    const known = this.#known.get(place)
    if (known && known.digest !== digest) throw new ControlError('idempotency_reused')
    if (known) return { answered: await known.answer, again: true }
    if (this.#known.size >= this.#most && !this.#evict()) throw new ControlError('capacity')
    const executed = this.#shared?.once(place, digest, work) ?? executedHere(work)
    const fresh: Known = {
      digest,
      answer: executed.then(({ answered }) => answered),
      until: this.#clock.now() + KEEP_MS,
      settled: false,
    }
    this.#known.set(place, fresh)
    try {
      const { answered, again } = await executed
      await fresh.answer
      fresh.settled = true
      if (answered.status === 503) this.#known.delete(place)
      return { answered, again }
    } catch (error) {
      this.#known.delete(place)
      // Others that wait for it are rejected with the same error.
      fresh.answer.catch(() => {})
      throw error
    }
  }

  /** Stops answering other nodes. */
  [Symbol.dispose](): void {
    this.#shared?.[Symbol.dispose]()
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
      if (known.settled) return this.#known.delete(place)
    }
    return false
  }
}

async function executedHere(work: () => Promise<Answered>): Promise<Executed> {
  return { answered: await work(), again: false }
}
