/** What was used up under one name. */
export interface Used {
  readonly minutes: number
  /** Money, where it has a price. */
  readonly spend: number
}

export const NOTHING: Used = { minutes: 0, spend: 0 }

/**
 * Where what is used up in a day (UTC) outlives the process: limits that protect money hold however often it is restarted.
 * Each run notes its own totals; those of earlier runs, and of others that go on beside it, come back as `earlier`.
 */
export interface DayLedger {
  /** False when what was used today before this run cannot be known: nothing may be spent on trust then. */
  readonly known: boolean
  /** What other runs have used today. */
  earlier(name: string): Used
  /** This run has used so much today, what goes on included; replaces what was noted of `name` before. */
  note(name: string, used: Used): void
}

/** Forgets with the process. */
export const forgetfulLedger: DayLedger = { known: true, earlier: () => NOTHING, note() {} }
