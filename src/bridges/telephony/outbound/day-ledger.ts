/** Usage under one name. */
export interface Used {
  readonly minutes: number
  /** Cost, if a price is set. */
  readonly spend: number
}

export const NOTHING: Used = { minutes: 0, spend: 0 }

/**
 * Persists the usage of each day (UTC), so that spending limits survive restarts. Each run stores its own totals; `earlier`
 * returns the totals of earlier runs and of other processes.
 */
export interface DayLedger {
  /** False if today's earlier usage is unknown; nothing can be spent then. */
  readonly known: boolean
  /** Returns today's usage by other runs. */
  earlier(name: string): Used
  /** Stores today's usage by this run, including calls in progress. Replaces the previous value of `name`. */
  note(name: string, used: Used): void
}

/** Keeps nothing: usage is lost when the process ends. */
export const forgetfulLedger: DayLedger = { known: true, earlier: () => NOTHING, note() {} }
