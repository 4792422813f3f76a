import { BridgeError } from '../../core/errors.ts'
import type { Admission, Invitation } from '../../core/invitation.ts'
import type { Leg } from '../../core/leg.ts'
import type { Relay } from '../../core/relay.ts'
import { type RoomPlans, refusedLanguages } from './room-plans.ts'

/** Holds those who come by whatever way to what a room was created with. Rooms that nobody created have no rules. */
export class RuledAdmission implements Admission {
  readonly #inner: Admission
  readonly #relay: Pick<Relay, 'rooms'>
  readonly #plans: RoomPlans

  /** `inner` is where everybody is admitted; all stay their owners'. */
  constructor(inner: Admission, relay: Pick<Relay, 'rooms'>, plans: RoomPlans) {
    this.#inner = inner
    this.#relay = relay
    this.#plans = plans
  }

  /** Throws `BridgeError` `CAPACITY` also for a room that is full, or is for other languages. */
  admit(leg: Leg, invitation: Invitation): void {
    const plan = this.#plans.find(invitation.room)
    const there = this.#relay.rooms.get(invitation.room)?.participants.size ?? 0
    if (there >= (plan?.maxParticipants ?? Number.POSITIVE_INFINITY))
      throw new BridgeError('CAPACITY', `${there} participants are the most in this room`, {
        retryable: true,
      })
    const refused = refusedLanguages(plan, [invitation.speaks, invitation.hears])
    if (refused.length > 0) throw new BridgeError('CAPACITY', `this room is not for ${refused.join(', ')}`)
    this.#inner.admit(leg, invitation)
  }
}
