import { type Clock, pause, Ticker } from '../../common/clock.ts'
import type { Overload } from '../../net/overload.ts'
import type { ThreadUse } from '../engines/thread-budget.ts'
import { ServiceError } from './errors.ts'

/** Suggested retry delay (ms). It cannot be predicted when a session or a job ends. */
export const PERHAPS_FREE_MS = 5_000

/**
 * Session slots. Beyond what the machine can serve in time, rejecting new sessions is better than slowing down all of
 * them.
 */
export class SessionSlots {
  readonly size: number
  readonly #workload: Pick<LoadMonitor, 'assertKeepsUp'>
  readonly #overload: Pick<Overload, 'rejection'> | undefined
  #taken = 0

  constructor(
    size: number,
    workload: Pick<LoadMonitor, 'assertKeepsUp'>,
    overload?: Pick<Overload, 'rejection'>,
  ) {
    if (!(size >= 1)) throw new RangeError(`the number of sessions must be at least 1, got ${size}`)
    this.size = size
    this.#workload = workload
    this.#overload = overload
  }

  get taken(): number {
    return this.#taken
  }

  /** Throws `too_many_sessions` when all slots are in use, `service_behind` when open sessions already have to wait. */
  assertRoom(): void {
    this.#assertPlace()
    this.#workload.assertKeepsUp()
    const reason = this.#overload?.rejection()
    if (!reason) return
    const why = reason === 'late' ? 'is overloaded' : 'is short of memory'
    throw new ServiceError('service_behind', `the service ${why}: try again in a few seconds`, {
      retryAfterMs: PERHAPS_FREE_MS,
    })
  }

  /** Takes a slot; disposing returns it (idempotent). Throws `too_many_sessions`. */
  take(): Disposable {
    this.#assertPlace()
    this.#taken++
    let held = true
    return {
      [Symbol.dispose]: () => {
        if (held) this.#taken--
        held = false
      },
    }
  }

  #assertPlace(): void {
    if (this.#taken < this.size) return
    throw new ServiceError(
      'too_many_sessions',
      `all ${this.size} sessions are in use: try again later, or raise maxSessions`,
      { retryAfterMs: PERHAPS_FREE_MS },
    )
  }
}

/** Interval between checks of all sessions (ms). */
const LOOK_MS = 200
/** Time for which a peak delay still counts (ms): the next sentence can cause it again. */
const LATELY_MS = 5_000
/** Batch jobs wait while a live session is delayed by more than this (ms). */
const FILES_WAIT_MS = 200
/** Share of busy recognizer threads above which new sessions are rejected. */
const BUSY = 0.9

/** A live session whose delay is monitored. */
export interface Followed {
  /** Time its oldest speech has been waiting for the recognizer (ms). */
  readonly behindMs: number
  /** Called at intervals to check that the session keeps up. */
  judge(): void
}

export interface WorkloadOptions {
  readonly clock: Clock
  /** New sessions are rejected while any session is further behind (ms). */
  readonly admitLagMs: number
  readonly threads: Pick<ThreadUse, 'share'>
}

/**
 * Measures how late the service is in its live sessions; it does not estimate, because the machine also does other
 * work. Batch jobs are not monitored; they wait for `calm`.
 */
export class LoadMonitor {
  readonly #options: WorkloadOptions
  readonly #followed = new Set<Followed>()
  #ticker: Ticker | undefined
  #peakMs = 0
  #peakAt = Number.NEGATIVE_INFINITY

  constructor(options: WorkloadOptions) {
    this.#options = options
  }

  /** Maximum current delay (ms). */
  get behindMs(): number {
    let most = 0
    for (const one of this.#followed) most = Math.max(most, one.behindMs)
    return most
  }

  /** Maximum delay within the last seconds (ms). */
  get latelyMs(): number {
    this.#note(this.behindMs)
    return this.#peakMs
  }

  /** Share of the recognizer's threads that were busy recently, 0 to 1. */
  get busy(): number {
    return this.#options.threads.share
  }

  /** Monitors `one` until disposed. */
  follow(one: Followed): Disposable {
    this.#followed.add(one)
    this.#ticker ??= new Ticker(this.#options.clock, LOOK_MS, () => this.#look())
    return {
      [Symbol.dispose]: () => {
        this.#followed.delete(one)
        if (this.#followed.size > 0) return
        this.#ticker?.[Symbol.dispose]()
        this.#ticker = undefined
      },
    }
  }

  /** Throws `service_behind` when another session would slow down the open ones. */
  assertKeepsUp(): void {
    const { admitLagMs, clock } = this.#options
    const late = this.latelyMs > admitLagMs
    const busy = this.busy > BUSY
    if (!late && !busy) return
    const retryAfterMs = late ? this.#peakAt + LATELY_MS - clock.now() : LATELY_MS
    const why = late
      ? `a session is ${Math.round(this.latelyMs)} ms behind, new ones are accepted up to ${admitLagMs} ms`
      : `the recognizer's threads are ${Math.round(this.busy * 100)} % busy`
    throw new ServiceError(
      'service_behind',
      `${why}: try again in ${Math.ceil(retryAfterMs / 1000)} s, end other sessions, or use a faster machine`,
      { retryAfterMs },
    )
  }

  /** Resolves when no live session has to wait; rejects with the reason of `signal`. Batch work waits for it. */
  async calm(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    while (this.behindMs > FILES_WAIT_MS) {
      await pause(this.#options.clock, LOOK_MS)
      signal.throwIfAborted()
    }
  }

  #look(): void {
    this.#note(this.behindMs)
    for (const one of Array.from(this.#followed)) one.judge()
  }

  #note(behindMs: number): void {
    const now = this.#options.clock.now()
    if (behindMs < this.#peakMs && now < this.#peakAt + LATELY_MS) return
    this.#peakMs = behindMs
    this.#peakAt = now
  }
}
