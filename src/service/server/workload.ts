import { after, type Clock, Ticker } from '../../core/clock.ts'
import type { ThreadUse } from './engines/thread-use.ts'
import { ServiceError } from './service-error.ts'

/** How often everybody is looked at (ms). */
const LOOK_MS = 200
/** Who was behind so lately may be so again at the next sentence (ms). */
const LATELY_MS = 5_000
/** Files wait while a speaker does for this long (ms). */
const FILES_WAIT_MS = 200
/** Share of the recogniser's threads beyond which nobody else is let in. */
const BUSY = 0.9

/** Somebody who must be kept up with. */
export interface Followed {
  /** How long the oldest of what they said has been waiting for the recogniser (ms). */
  readonly behindMs: number
  /** Called regularly: time to look whether they are kept up with. */
  judge(): void
}

export interface WorkloadParts {
  readonly clock: Clock
  /** Nobody else is let in while somebody is further behind (ms). */
  readonly admitBehindMs: number
  readonly threads: Pick<ThreadUse, 'share'>
}

/**
 * How far the service is behind those it serves: measured, not guessed, since a machine has other work as well. Live
 * sessions are followed; batch jobs are not, they wait for `calm`.
 */
export class Workload {
  readonly #parts: WorkloadParts
  readonly #followed = new Set<Followed>()
  #ticker: Ticker | undefined
  #peakMs = 0
  #peakAt = Number.NEGATIVE_INFINITY

  constructor(parts: WorkloadParts) {
    this.#parts = parts
  }

  /** The one who is furthest behind, now (ms). */
  get behindMs(): number {
    let most = 0
    for (const one of this.#followed) most = Math.max(most, one.behindMs)
    return most
  }

  /** The furthest that anybody was behind within the last seconds (ms). */
  get latelyMs(): number {
    this.#note(this.behindMs)
    return this.#peakMs
  }

  /** Share of the recogniser's threads that were busy lately, 0 to 1. */
  get busy(): number {
    return this.#parts.threads.share
  }

  /** Keeps an eye on `one` until disposed. */
  follow(one: Followed): Disposable {
    this.#followed.add(one)
    this.#ticker ??= new Ticker(this.#parts.clock, LOOK_MS, () => this.#look())
    return {
      [Symbol.dispose]: () => {
        this.#followed.delete(one)
        if (this.#followed.size > 0) return
        this.#ticker?.[Symbol.dispose]()
        this.#ticker = undefined
      },
    }
  }

  /** Throws `service_behind` when one more would make those slow who are served. */
  assertKeepsUp(): void {
    const { admitBehindMs, clock } = this.#parts
    const late = this.latelyMs > admitBehindMs
    const busy = this.busy > BUSY
    if (!late && !busy) return
    const retryAfterMs = late ? this.#peakAt + LATELY_MS - clock.now() : LATELY_MS
    const why = late
      ? `a session is ${Math.round(this.latelyMs)} ms behind, new ones are taken up to ${admitBehindMs} ms`
      : `the recogniser's threads are ${Math.round(this.busy * 100)} % busy`
    throw new ServiceError(
      'service_behind',
      `${why}: try again in ${Math.ceil(retryAfterMs / 1000)} s, end other sessions, or use a faster machine`,
      { retryAfterMs },
    )
  }

  /** Resolves when nobody who speaks has to wait; rejects with the reason of `signal`. What is not live waits for it. */
  async calm(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    while (this.behindMs > FILES_WAIT_MS) {
      await new Promise<void>(resolve => void after(this.#parts.clock, LOOK_MS, resolve))
      signal.throwIfAborted()
    }
  }

  #look(): void {
    this.#note(this.behindMs)
    for (const one of Array.from(this.#followed)) one.judge()
  }

  #note(behindMs: number): void {
    const now = this.#parts.clock.now()
    if (behindMs < this.#peakMs && now < this.#peakAt + LATELY_MS) return
    this.#peakMs = behindMs
    this.#peakAt = now
  }
}
