import type fc from 'fast-check'

/** A state machine and all its inputs, in any order. */
export interface Schedule {
  readonly name: string
  /** Invariants after every step. */
  readonly property: fc.IRawProperty<unknown>
  /** Number of schedules in `npm test`; the slow tests run twenty times as many. */
  readonly runs: number
}
