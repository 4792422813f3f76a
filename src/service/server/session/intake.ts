/** Input of a session, and its processing. The session opens and closes it. */
export interface Intake {
  /** True while accepted input is being processed. */
  readonly busy: boolean
  /** Prepares the input; resolves to the payload of `start`. Throws a `ServiceError` on failure. */
  open(): Promise<boolean | string>
  /** Accepts one payload, or throws a `ServiceError` without using any of it. Only valid after `open`. */
  take(payload: unknown): void
  /** Frees all resources and drops pending work. Called once, possibly while `open` is pending. */
  close(): Promise<void>
  /** Figures for the log; never the content of speech or text. */
  totals(): object
}
