import { type Clock, setTimer, systemClock } from '../../common/clock.ts'
import type { LanguageId } from '../../common/language.ts'
import type { Logger } from '../../common/log.ts'
import type { Announcer } from '../model/announcer.ts'
import type { Dialer } from '../model/dialer.ts'
import type { Admission, Invitation } from '../model/invitation.ts'
import type { Leg } from '../model/leg.ts'
import type { Participant } from '../room/participant.ts'
import type { Relay } from '../room/relay.ts'
import { TwoPartyCallVoice } from './notice-voice.ts'
import { TwoPartyCall } from './two-party-call.ts'
import type { EndNotice } from './two-party-call-state.ts'

/** Dependencies of the switchboard. The caller keeps ownership of all of them. */
export interface TwoPartyCallsOptions {
  /** The relay that admits all legs; the caller keeps ownership. */
  readonly relay: Relay
  readonly announcer: Announcer
  /** Absent: outbound calls are disabled. */
  readonly dialer?: Dialer | undefined
  readonly clock?: Clock
  /** Default: the log of the relay. */
  readonly log?: Logger
  /** Maximum duration of a leg, and of a call between two participants. Default: unlimited. */
  readonly maxMinutes?: number | undefined
  /** Language of notices for participants without one. Default `en-us`. */
  readonly language?: LanguageId | undefined
}

/** Twilio's own limit for outbound calls is this much longer than ours, which is announced (s). */
const LIMIT_MARGIN_SECONDS = 60

/**
 * Connects calls. It admits every leg; for an invitation with `dial`, it also dials a callee. The caller hears ringing,
 * then the answer or a notice with the outcome. After one of the two hangs up, the other hears a notice and is
 * disconnected, unless others have joined. Independent of channels: it uses only legs and a dialer.
 */
export class TwoPartyCalls implements Admission {
  readonly #options: TwoPartyCallsOptions
  readonly #clock: Clock
  readonly #log: Logger
  readonly #voice: TwoPartyCallVoice
  readonly #calls = new Map<string, TwoPartyCall>()
  /** Maximum end of a participant's call (clock ms). By invitation: a replaced leg gets no additional time. */
  readonly #deadlines = new WeakMap<Invitation, number>()
  /** Callers whose call is over: a late leg of theirs must not dial again. */
  readonly #done = new WeakSet<Invitation>()

  constructor(options: TwoPartyCallsOptions) {
    const { relay, clock = systemClock, log = relay.log, announcer, language = 'en-us' } = options
    this.#options = options
    this.#clock = clock
    this.#log = log
    this.#voice = new TwoPartyCallVoice(announcer, clock, language)
  }

  /** Calls between two participants, ringing or connected. */
  get calls(): number {
    return this.#calls.size
  }

  admit(leg: Leg, invitation: Invitation): void {
    const { relay } = this.#options
    const { dial, called, ...plain } = invitation
    relay.admit(leg, dial ? { ...plain, echo: false } : plain)
    const party = this.#party(leg)
    if (this.#done.has(invitation)) {
      void party.hangUp()
      return
    }
    const call = this.#calls.get(plain.room) ?? (dial || called ? this.#begin(invitation) : undefined)
    call?.join(party, invitation)
    this.#limit(leg, invitation, () => (call ? call.timeUp() : this.#dismiss(party, 'time-up')))
  }

  useLog(log: Logger): void {
    this.#options.relay.useLog(log)
  }

  #party(leg: Leg): Participant {
    const party = this.#options.relay.find(leg.id)
    if (!party) throw new RangeError(`${leg.id} was admitted but is not in the relay`)
    return party
  }

  #begin(first: Invitation): TwoPartyCall {
    const { dialer, maxMinutes } = this.#options
    const { room } = first
    const call = new TwoPartyCall(first, {
      dialer,
      voice: this.#voice,
      clock: this.#clock,
      log: this.#log,
      limitSeconds: maxMinutes === undefined ? undefined : Math.ceil(maxMinutes * 60) + LIMIT_MARGIN_SECONDS,
      over: caller => {
        this.#calls.delete(room)
        this.#done.add(caller ?? first)
      },
    })
    call.start()
    this.#calls.set(room, call)
    return call
  }

  #limit(leg: Leg, invitation: Invitation, timeUp: () => void): void {
    const { maxMinutes } = this.#options
    if (maxMinutes === undefined) return
    const now = this.#clock.now()
    const deadline =
      this.#deadlines.get(invitation) ?? now + maxMinutes * 60_000 - (invitation.elapsedMs ?? 0)
    this.#deadlines.set(invitation, deadline)
    const timer = setTimer(this.#clock, Math.max(0, deadline - now), timeUp)
    void leg.ended.then(() => timer[Symbol.dispose]())
  }

  /** Plays the reason to a participant, then hangs up. */
  #dismiss(party: Participant, farewell: EndNotice): void {
    void this.#voice.say(party, farewell).then(() => party.hangUp())
  }
}
