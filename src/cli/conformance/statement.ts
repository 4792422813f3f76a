import type { Evidence } from './evidence.ts'

/** `not shown`: the service did not get into a position where it could be seen. */
export type Status = 'holds' | 'does not hold' | 'not shown'

export interface Verdict {
  readonly status: Status
  /** What was seen, in a few words. */
  readonly found: string
}

/** One statement of the interface document, and how to tell from outside whether it holds. */
export interface Statement {
  /** Section of the document and a number, like `4.2-3`. */
  readonly id: string
  readonly text: string
  /** Looks at nothing but the evidence; says `does not hold` only for what was really seen. */
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

/** `holds` when `good`, with what was seen; else `does not hold`. */
export function either(good: boolean, found: string): Verdict {
  return good ? holds(found) : broken(found)
}
