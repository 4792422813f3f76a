/** What a session takes in, and what becomes of it. The session opens and closes it. */
export interface Intake {
  /** Something that was taken is still worked on. */
  readonly busy: boolean
  /** Gets ready; answers the payload of `start`. Throws a `ServiceError` when it cannot. */
  open(): Promise<boolean | string>
  /** Takes one payload whole, or throws a `ServiceError` and takes nothing of it. Called after `open` only. */
  take(payload: unknown): void
  /** Frees everything; what is on its way is dropped. Called once, also while `open` is not done. */
  close(): Promise<void>
  /** Figures for the log: never what was said. */
  totals(): object
}
