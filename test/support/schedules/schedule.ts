import type fc from 'fast-check'

/** A state machine and all its inputs, in any order. */
export interface Schedule {
  readonly name: string
  /** Invariants after every step. */
  readonly property: fc.IRawProperty<unknown>
  /** Number of schedules in every `npm test`, and in the long run. */
  readonly short: number
  readonly long: number
}
