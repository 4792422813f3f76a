import { z } from 'zod'
import { type Clock, Ticker } from '../core/clock.ts'
import type { Log } from '../core/log.ts'

/** How often is looked whether calls are left (ms). */
const LOOK_MS = 100

/** What becomes of calls when this server is told to end. */
export const drainSchema = z.strictObject({
  seconds: z
    .int()
    .min(0)
    .max(86_400)
    .default(600)
    .meta({ about: 'Calls that are there have this long to end by themselves (s).' }),
  newCalls: z.enum(['busy', 'unavailable']).default('busy').meta({
    about: 'What new calls get meanwhile: spoken words, or 503, so that another server answers them.',
  }),
  askSeconds: z
    .int()
    .min(1)
    .max(60)
    .default(2)
    .meta({ about: 'A call that is handed over asks for another server after this long (s).' }),
})

export type DrainSettings = z.output<typeof drainSchema>

export interface DrainParts {
  readonly settings: DrainSettings
  readonly clock: Clock
  readonly log: Log
  /** Calls that are there, or on their way here. */
  readonly calls: () => number
}

/**
 *   open ──begin──▶ draining ──no calls left, deadline, hurry──▶ over
 *
 * While it is not `open` nobody new is let in.
 */
export class Drain implements Disposable {
  /** Calls that were turned away since it began. */
  turnedAway = 0
  readonly settings: DrainSettings
  readonly #parts: DrainParts
  readonly #over = Promise.withResolvers<void>()
  #ticker: Ticker | undefined
  #began: number | undefined
  #hurried = false

  constructor(parts: DrainParts) {
    this.#parts = parts
    this.settings = parts.settings
  }

  get draining(): boolean {
    return this.#began !== undefined
  }

  /** Says so for somebody who would come in, and who is counted when they must not. */
  turns(): 'draining' | undefined {
    if (!this.draining) return undefined
    this.turnedAway++
    return 'draining'
  }

  /** Lets nobody in any more; settles when no call is left, at the deadline, or in a hurry. Idempotent, never rejects. */
  begin(): Promise<void> {
    if (this.#began === undefined) {
      const { clock, log, calls, settings } = this.#parts
      this.#began = clock.now()
      log.info({ calls: calls(), seconds: settings.seconds }, 'draining: nobody new is let in')
      if (this.#hurried) return this.#over.promise
      this.#ticker = new Ticker(clock, LOOK_MS, now => this.#look(now))
      this.#look(this.#began)
    }
    return this.#over.promise
  }

  /** Waits no longer. */
  hurry(): void {
    this.#hurried = true
    this.#ticker?.[Symbol.dispose]()
    this.#over.resolve()
  }

  [Symbol.dispose](): void {
    this.hurry()
  }

  #look(now: number): void {
    const { calls, settings, log } = this.#parts
    const left = calls()
    const late = now - (this.#began ?? now) >= settings.seconds * 1_000
    if (left > 0 && !late) return
    if (left > 0) log.warn({ calls: left }, 'drained no longer: what is left is handed over')
    this.hurry()
  }
}
