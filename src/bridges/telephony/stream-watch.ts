import type { BridgeError } from '../../common/errors.ts'
import type { Leg } from '../../core/model/leg.ts'

/** Callbacks for the originator of a call. They must not throw. */
export interface StreamWatch {
  /** A stream has arrived: returns the leg to admit in its place. */
  arriving(leg: Leg): Leg
  /** The stream was admitted. */
  arrived(leg: Leg): void
  /** The stream was rejected. */
  turnedAway(error: BridgeError): void
}
