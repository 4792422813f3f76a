import { BridgeError } from '../../common/errors.ts'
import type { Admission, Invitation } from '../../core/model/invitation.ts'
import type { Leg } from '../../core/model/leg.ts'
import type { Relay } from '../../core/room/relay.ts'
import { type RoomPlans, refusedLanguages } from './room-plans.ts'

/** Enforces the rules of created rooms for participants of every channel. Other rooms have no rules. */
export class RuledAdmission implements Admission {
  readonly #inner: Admission
  readonly #relay: Pick<Relay, 'rooms'>
  readonly #plans: RoomPlans

  /** `inner` admits the legs. The caller keeps ownership. */
  constructor(inner: Admission, relay: Pick<Relay, 'rooms'>, plans: RoomPlans) {
    this.#inner = inner
    this.#relay = relay
    this.#plans = plans
  }

  /** Also throws `BridgeError` `CAPACITY` for a room that is full or does not allow the language. */
  admit(leg: Leg, invitation: Invitation): void {
    const plan = this.#plans.find(invitation.room)
    const there = this.#relay.rooms.get(invitation.room)?.participants.size ?? 0
    if (there >= (plan?.maxParticipants ?? Number.POSITIVE_INFINITY))
      throw new BridgeError('CAPACITY', `the room is full: ${there} participants (maxParticipants)`, {
        retryable: true,
      })
    const refused = refusedLanguages(plan, [invitation.speaks, invitation.hears])
    if (refused.length > 0) throw new BridgeError('CAPACITY', `the room does not allow ${refused.join(', ')}`)
    this.#inner.admit(leg, invitation)
  }
}
