import type fc from 'fast-check'

/** A state machine and everything that may happen to it, in any order. */
export interface Schedule {
  readonly name: string
  /** What holds after every step. */
  readonly property: fc.IRawProperty<unknown>
  /** So many of them in every `npm test`, and in the long run. */
  readonly short: number
  readonly long: number
}
