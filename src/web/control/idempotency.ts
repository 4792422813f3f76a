import { createHash } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { ControlError } from './control-error.ts'

/** How long an answer is given again (ms). */
const KEEP_MS = 24 * 3_600_000
/** Answers that are kept; beyond that the oldest are forgotten before their time. */
const MOST_KEPT = 10_000

/** What was answered: a value, or an error. */
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
 * Requests with an `Idempotency-Key` are done once: the same again gets the same answer for 24 h, also while the first is
 * still at work. What says “later” (503) is forgotten, so that later it can work.
 */
export class Idempotency {
  readonly #clock: Clock
  readonly #most: number
  /** In the order of their beginnings, which is that of their ends. */
  readonly #known = new Map<string, Known>()
  /** Answers that were forgotten before their time. */
  evicted = 0

  constructor(clock: Clock, most = MOST_KEPT) {
    this.#clock = clock
    this.#most = most
  }

  get size(): number {
    return this.#known.size
  }

  /**
   * The answer to what `holder` asked under `key`: of `work`, or of the one who asked first. `request` is everything that
   * makes a request what it is. Throws `idempotency_reused` for another request of the same key, `capacity` when too many
   * are at work.
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
