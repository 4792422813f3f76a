import type { Clock } from '../../../common/clock.ts'

/** Limits of one batch job. */
export interface JobLimits {
  /** Maximum duration of a file (ms). */
  readonly maxFileMs: number
  /** Maximum text length (characters). */
  readonly maxTextLength: number
}

/**
 * Holder of the key, whose audio and text are counted. Both methods throw a `ServiceError` when the quota is exceeded.
 */
export interface JobHolder {
  takeAudio(ms: number): void
  takeText(text: string): void
}

/** Context shared by all steps of a job. */
export interface JobContext {
  readonly clock: Clock
  readonly limits: JobLimits
  readonly holder: JobHolder
  /** Resolves when no live session has to wait for its turn; rejects with the reason of `signal`. */
  readonly calm: () => Promise<void>
  /** Aborted with the `ServiceError` that ends the job. */
  readonly signal: AbortSignal
}
