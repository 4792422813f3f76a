import type { BridgeError } from '../../core/errors.ts'
import type { Leg } from '../../core/leg.ts'

/** Whoever placed a call and wants to know of its streams. Nothing here may throw. */
export interface StreamWatch {
  /** A stream has come: returns what is admitted in its place. */
  arriving(leg: Leg): Leg
  /** It was admitted. */
  arrived(leg: Leg): void
  /** It was not. */
  turnedAway(error: BridgeError): void
}
