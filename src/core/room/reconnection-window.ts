import { type Clock, setTimer } from '../../common/clock.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import type { Leg } from '../model/leg.ts'
import type { Participant } from './participant.ts'

/**
 * Disconnected participants that can still reconnect. Their place in the room, their sessions and their unplayed
 * translations are kept during the reconnection window. Participants are identified by the calls of their legs.
 */
export class ReconnectionWindow {
  readonly #clock: Clock
  readonly #windowMs: number
  readonly #over: (participant: Participant, reason: EndReason) => void
  readonly #byCall = new Map<string, Participant>()
  readonly #absent = new Map<Participant, { readonly reason: EndReason; readonly timer: Disposable }>()

  /** Calls `over` for a participant who has not reconnected after `windowMs`, or who is removed with `expire`. */
  constructor(clock: Clock, windowMs: number, over: (participant: Participant, reason: EndReason) => void) {
    this.#clock = clock
    this.#windowMs = windowMs
    this.#over = over
  }

  /** Number of disconnected participants. */
  get size(): number {
    return this.#absent.size
  }

  /** Registers `participant` under the call of its leg. */
  know(participant: Participant): void {
    const call = callOf(participant.leg)
    if (call) this.#byCall.set(call, participant)
  }

  /** Forgets `participant` and cancels its timer; it can no longer reconnect. */
  forget(participant: Participant): void {
    this.#absent.get(participant)?.timer[Symbol.dispose]()
    this.#absent.delete(participant)
    const call = callOf(participant.leg)
    if (call && this.#byCall.get(call) === participant) this.#byCall.delete(call)
  }

  /** Returns the participant of `room` whose call has this new `leg`, or undefined for a new participant. */
  returning(leg: Leg, room: string): Participant | undefined {
    const call = callOf(leg)
    const participant = call ? this.#byCall.get(call) : undefined
    return participant?.invitation.room === room ? participant : undefined
  }

  /** Starts the reconnection window of `participant`, whose leg ended for `reason`. Returns false if it cannot reconnect. */
  keep(participant: Participant, reason: EndReason): boolean {
    if (this.#windowMs === 0 || !callOf(participant.leg)) return false
    if (reason.kind !== 'failed' || !reason.error.retryable) return false
    const timer = setTimer(this.#clock, this.#windowMs, () => this.expire(participant))
    this.#absent.set(participant, { reason, timer })
    return true
  }

  /** Ends the reconnection window: `participant` has reconnected. */
  end(participant: Participant): void {
    this.#absent.get(participant)?.timer[Symbol.dispose]()
    this.#absent.delete(participant)
  }

  /** Removes a disconnected participant. `reason` defaults to the reason its leg ended. */
  expire(participant: Participant, reason?: EndReason): void {
    const absent = this.#absent.get(participant)
    if (!absent) return
    this.forget(participant)
    this.#over(participant, reason ?? absent.reason)
  }
}

function callOf({ channel, call }: Leg): string | undefined {
  return call === undefined ? undefined : `${channel} ${call}`
}
