import type { Evidence } from './evidence.ts'

/** `not shown`: the service never reached a state in which the statement can be observed. */
export type Status = 'holds' | 'does not hold' | 'not shown'

export interface Verdict {
  readonly status: Status
  /** Short description of the observation. */
  readonly found: string
}

/** A statement of the interface document, and how to check it from outside. */
export interface Statement {
  /** Section of the document and a number, like `4.2-3`. */
  readonly id: string
  readonly text: string
  /** Uses only the evidence; returns `does not hold` only for an actual observation. */
  readonly judge: (evidence: Evidence) => Verdict
}

export function statement(id: string, text: string, judge: Statement['judge']): Statement {
  return { id, text, judge }
}

export function holds(found: string): Verdict {
  return { status: 'holds', found }
}

export function broken(found: string): Verdict {
  return { status: 'does not hold', found }
}

export function notShown(found: string): Verdict {
  return { status: 'not shown', found }
}

/** Returns `holds` if `good`, else `does not hold`, with `found`. */
export function either(good: boolean, found: string): Verdict {
  return good ? holds(found) : broken(found)
}
