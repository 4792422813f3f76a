import { type Clock, Ticker } from '../common/clock.ts'
import type { Logger } from '../common/log.ts'
import type { DrainSettings } from '../core/calls/settings.ts'

/** Interval between checks for remaining calls (ms). */
const LOOK_MS = 100

export interface DrainOptions {
  readonly settings: DrainSettings
  readonly clock: Clock
  readonly log: Logger
  /** Calls in progress, or on their way here. */
  readonly calls: () => number
}

/**
 * ```
 * open ──begin──▶ draining ──no calls left, deadline, hurry──▶ over
 * ```
 * New calls are rejected unless the state is `open`.
 */
export class Drain implements Disposable {
  /** Calls rejected since draining started. */
  rejected = 0
  readonly settings: DrainSettings
  readonly #options: DrainOptions
  readonly #over = Promise.withResolvers<void>()
  #ticker: Ticker | undefined
  #began: number | undefined
  #hurried = false

  constructor(options: DrainOptions) {
    this.#options = options
    this.settings = options.settings
  }

  get draining(): boolean {
    return this.#began !== undefined
  }

  /** Returns the reason if a new call must be rejected, and counts the rejection. */
  rejection(): 'draining' | undefined {
    if (!this.draining) return undefined
    this.rejected++
    return 'draining'
  }

  /**
   * Rejects new calls from now on. Settles when no call remains, at the deadline, or on `hurry`. Idempotent, never
   * rejects.
   */
  begin(): Promise<void> {
    if (this.#began === undefined) {
      const { clock, log, calls, settings } = this.#options
      this.#began = clock.now()
      log.info({ calls: calls(), seconds: settings.seconds }, 'draining: rejecting new calls')
      if (this.#hurried) return this.#over.promise
      this.#ticker = new Ticker(clock, LOOK_MS, now => this.#look(now))
      this.#look(this.#began)
    }
    return this.#over.promise
  }

  /** Stops waiting. */
  hurry(): void {
    this.#hurried = true
    this.#ticker?.[Symbol.dispose]()
    this.#over.resolve()
  }

  [Symbol.dispose](): void {
    this.hurry()
  }

  #look(now: number): void {
    const { calls, settings, log } = this.#options
    const left = calls()
    const late = now - (this.#began ?? now) >= settings.seconds * 1_000
    if (left > 0 && !late) return
    if (left > 0) log.warn({ calls: left }, 'drain deadline reached, handing over')
    this.hurry()
  }
}
