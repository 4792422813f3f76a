import type { Clock } from '../../../core/clock.ts'

/** What bounds one batch job. */
export interface JobLimits {
  /** Longest sound of a file (ms). */
  readonly maxFileMs: number
  /** Longest text, in characters. */
  readonly maxTextLength: number
}

/** Whoever's key it is: their audio and text are counted. Both throw a `ServiceError` when it is more than is left. */
export interface JobHolder {
  takeAudio(ms: number): void
  takeText(text: string): void
}

/** What every step of a job has at hand. */
export interface JobContext {
  readonly clock: Clock
  readonly limits: JobLimits
  readonly holder: JobHolder
  /** Resolves when no live session has to wait for its turn; rejects with the reason of `signal`. */
  readonly calm: () => Promise<void>
  /** Aborted with the `ServiceError` that ends the job. */
  readonly signal: AbortSignal
}
