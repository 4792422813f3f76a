import { after, type Clock } from './clock.ts'
import type { EndReason } from './errors.ts'
import type { Leg } from './leg.ts'
import type { Participant } from './participant.ts'

/**
 * Participants whose leg broke and who may come back: their place, their sessions and what they have not heard is kept
 * for a while. Knows participants by the calls of their legs.
 */
export class Absences {
  readonly #clock: Clock
  readonly #keepMs: number
  readonly #over: (participant: Participant, reason: EndReason) => void
  readonly #byCall = new Map<string, Participant>()
  readonly #away = new Map<Participant, { readonly reason: EndReason; readonly timer: Disposable }>()

  /** `over` is called for whoever has not come back after `keepMs`, or is let go. */
  constructor(clock: Clock, keepMs: number, over: (participant: Participant, reason: EndReason) => void) {
    this.#clock = clock
    this.#keepMs = keepMs
    this.#over = over
  }

  /** How many are away now. */
  get size(): number {
    return this.#away.size
  }

  /** Remembers `participant` by the call of its leg. */
  know(participant: Participant): void {
    const call = callOf(participant.leg)
    if (call) this.#byCall.set(call, participant)
  }

  /** Forgets `participant`, who will not come back. */
  forget(participant: Participant): void {
    this.#away.get(participant)?.timer[Symbol.dispose]()
    this.#away.delete(participant)
    const call = callOf(participant.leg)
    if (call && this.#byCall.get(call) === participant) this.#byCall.delete(call)
  }

  /** The participant of `room` whose call has got this new leg; undefined when it is somebody new. */
  returning(leg: Leg, room: string): Participant | undefined {
    const call = callOf(leg)
    const participant = call ? this.#byCall.get(call) : undefined
    return participant?.invitation.room === room ? participant : undefined
  }

  /** `participant` has lost its leg for `reason`; false when it cannot come back. */
  keep(participant: Participant, reason: EndReason): boolean {
    if (this.#keepMs === 0 || !callOf(participant.leg)) return false
    if (reason.kind !== 'failed' || !reason.error.retryable) return false
    const timer = after(this.#clock, this.#keepMs, () => this.letGo(participant))
    this.#away.set(participant, { reason, timer })
    return true
  }

  /** `participant` is back. */
  end(participant: Participant): void {
    this.#away.get(participant)?.timer[Symbol.dispose]()
    this.#away.delete(participant)
  }

  /** Whoever is away does not come back, by default for the reason their leg ended. */
  letGo(participant: Participant, reason?: EndReason): void {
    const away = this.#away.get(participant)
    if (!away) return
    this.forget(participant)
    this.#over(participant, reason ?? away.reason)
  }
}

function callOf({ channel, call }: Leg): string | undefined {
  return call === undefined ? undefined : `${channel} ${call}`
}
