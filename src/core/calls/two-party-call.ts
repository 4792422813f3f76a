import { type Clock, setTimer } from '../../common/clock.ts'
import { BridgeError, type ErrorCode } from '../../common/errors.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import type { Logger } from '../../common/log.ts'
import type { Dialer, DialOutcome, OutgoingCall } from '../model/dialer.ts'
import type { DialPlan, Invitation } from '../model/invitation.ts'
import type { Announcement } from '../playout/announcement.ts'
import type { Participant } from '../room/participant.ts'
import type { TwoPartyCallVoice } from './notice-voice.ts'
import { type CallInput, type EndNotice, next, type TwoPartyCallState } from './two-party-call-state.ts'

/** Reconnection window of a participant whose leg broke (ms). */
const RETURN_MS = 10_000
/** After a hand-over, the second participant arrives within this time of the first (ms). */
const REUNION_MS = 6_000

export interface TwoPartyCallOptions {
  /** Absent: outbound calls are disabled. */
  readonly dialer: Dialer | undefined
  readonly voice: TwoPartyCallVoice
  readonly clock: Clock
  readonly log: Logger
  /** Maximum duration of an outbound call (s). */
  readonly limitSeconds: number | undefined
  /** Called once, at the end of the call. */
  readonly over: (caller: Invitation | undefined) => void
}

interface Seat {
  readonly who: 'caller' | 'callee' | 'guest'
  party: Participant
  /** The leg broke: the timer of the reconnection window. */
  missing: Disposable | undefined
}

/**
 * One call between a caller and a callee who is dialed for them. Ends all legs when it is over. A call that was handed
 * over from another server continues with the first of the two who arrives.
 */
export class TwoPartyCall {
  readonly #room: string
  readonly #options: TwoPartyCallOptions
  #plan: DialPlan | undefined
  /** Absent until the caller arrives from another server. */
  #caller: Invitation | undefined
  /** The callee's invitation, compared by identity. */
  #callee: Invitation | undefined
  /** By invitation, which stays the same when a leg is replaced. */
  readonly #seats = new Map<Invitation, Seat>()
  #state: TwoPartyCallState
  #reunion: Disposable | undefined
  #outgoing: OutgoingCall | undefined
  #ringing: Announcement | undefined
  /** The callee has answered, and is not a machine. */
  #person = false
  #greeted = false

  /** `first`: the invitation of a caller, with the number to dial, or of a callee dialed by another server (`called`). */
  constructor(first: Invitation, options: TwoPartyCallOptions) {
    this.#room = first.room
    this.#options = options
    const returns = !first.dial || first.dial.resumed
    this.#state = { status: returns ? 'returning' : 'calling' }
    this.#meet(first)
  }

  /** Limits the time that the first of two returning participants waits for the other. Call it once. */
  start(): void {
    if (this.#state.status === 'returning')
      this.#reunion = setTimer(this.#options.clock, REUNION_MS, () => this.#alone())
  }

  get state(): TwoPartyCallState {
    return this.#state
  }

  /** `party` was admitted to the room with `invitation`, for the first time or with a new leg. */
  join(party: Participant, invitation: Invitation): void {
    this.#meet(invitation)
    if (this.#state.status === 'parting' || this.#state.status === 'over') {
      // Participants cannot join during the farewell.
      void party.hangUp()
      return
    }
    const known = this.#seats.get(invitation)
    known?.missing?.[Symbol.dispose]()
    const back = known?.party === party
    const seat: Seat = known ?? { who: this.#whoIs(invitation), party, missing: undefined }
    seat.party = party
    seat.missing = undefined
    this.#seats.set(invitation, seat)
    const { leg } = party
    void leg.ended.then(reason => {
      // Ignored if another leg has replaced it.
      if (party.leg === leg) this.#left(invitation, party, reason)
    })
    if (seat.who === 'caller' && this.#state.status === 'calling' && !back)
      this.#wait(party, known === undefined)
    this.#greet()
    this.#apply({ type: 'joined', present: this.#seats.size })
    // Too late for the hand-over, but connected: no other callee is dialed.
    if (seat.who === 'guest' && invitation.called)
      this.#apply({ type: 'unanswered', why: 'no-answer', stay: false, present: this.#seats.size })
  }

  /** The call has reached the maximum duration. */
  timeUp(): void {
    this.#apply({ type: 'time-up' })
  }

  /** Learns the caller and the callee from `invitation`. */
  #meet(invitation: Invitation): void {
    const { room, dial, called } = invitation
    if (dial && !this.#caller) {
      this.#caller = invitation
      this.#plan = dial
      this.#callee ??= { ...dial.callee, room, echo: false, called: true }
    }
    if (called && this.#state.status === 'returning') this.#callee = invitation
  }

  /** One of the two has not arrived from another server. */
  #alone(): void {
    const caller = this.#caller && this.#seats.get(this.#caller)
    this.#apply({ type: 'not-returned', missing: caller ? 'callee' : 'caller' })
    if (!caller || this.#state.status !== 'calling') return
    // The callee of the previous server is no longer expected.
    this.#callee = { ...this.#plan?.callee, room: this.#room, echo: false, called: true }
    this.#wait(caller.party, true)
  }

  #whoIs(invitation: Invitation): Seat['who'] {
    if (invitation === this.#caller) return 'caller'
    return invitation === this.#callee ? 'callee' : 'guest'
  }

  /** The caller waits, muted, so that speech during ringing is not played to the callee. */
  #wait(caller: Participant, first: boolean): void {
    caller.change({ muted: true })
    this.#ringing = this.#options.voice.ring(caller)
    if (!first) return
    this.#dial()
    // Without a dialed call there is no one to wait for.
    if (this.#state.status === 'calling') this.#say(caller, 'connecting', named(this.#plan?.callee))
  }

  #dial(): void {
    const { dialer, limitSeconds, log } = this.#options
    if (!this.#plan || !this.#callee) return
    const { to, ringSeconds } = this.#plan
    try {
      if (!dialer) throw new BridgeError('DIAL_REFUSED', 'outbound calls are not configured')
      const outgoing = dialer.dial({
        to,
        invitation: this.#callee,
        ringSeconds,
        limitSeconds,
      })
      this.#outgoing = outgoing
      void outgoing.outcome.then(outcome => this.#told(outcome))
      void outgoing.over.then(end => this.#calleeGone(end === 'voicemail'))
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error
      log.warn({ room: this.#room, code: error.code, error: error.message }, 'outbound call failed')
      this.#told({ kind: 'failed', error })
    }
  }

  #told(outcome: DialOutcome): void {
    if (outcome.kind === 'answered') {
      this.#person = true
      this.#greet()
      this.#apply({ type: 'answered' })
    } else this.#unanswered(farewellOf(outcome))
  }

  /** Greets the callee, once, and only after a machine is ruled out, because voicemail would record the greeting. */
  #greet(): void {
    const callee = this.#callee && this.#seats.get(this.#callee)
    if (!this.#person || this.#greeted || !callee || callee.missing) return
    this.#greeted = true
    this.#say(callee.party, 'incoming', named(this.#caller))
  }

  #unanswered(why: EndNotice): void {
    const before = this.#state
    const stay = this.#plan?.unanswered === 'stay'
    this.#apply({ type: 'unanswered', why, stay, present: this.#seats.size })
    const caller = this.#caller && this.#seats.get(this.#caller)?.party
    if (caller && before.status === 'calling' && this.#state.status !== 'parting') this.#say(caller, why)
  }

  #calleeGone(machine: boolean): void {
    const callee = this.#callee
    const seat = callee && this.#seats.get(callee)
    if (!seat) return
    seat.missing?.[Symbol.dispose]()
    this.#seats.delete(callee)
    void seat.party.hangUp()
    const present = this.#seats.size
    if (machine) this.#apply({ type: 'machine', present })
    this.#apply({ type: 'left', who: 'callee', present })
  }

  #left(invitation: Invitation, party: Participant, reason: EndReason): void {
    const seat = this.#seats.get(invitation)
    if (seat?.party !== party) return
    const gone = () => {
      this.#seats.delete(invitation)
      this.#apply({ type: 'left', who: seat.who, present: this.#seats.size })
    }
    if (reason.kind === 'failed') seat.missing = setTimer(this.#options.clock, RETURN_MS, gone)
    else gone()
  }

  #apply(input: CallInput): void {
    const before = this.#state
    const state = next(before, input)
    if (state === before) return
    this.#state = state
    this.#options.log.info({ room: this.#room, call: state.status }, 'call state changed')
    this.#reunion?.[Symbol.dispose]()
    if (before.status === 'calling') this.#stopWaiting(input.type === 'answered')
    if (state.status === 'parting') void this.#part(state.farewell)
    if (state.status === 'over') this.#end()
  }

  #stopWaiting(answered: boolean): void {
    // The audio already sent (0.2 s) is played to the end: cutting it off would click.
    this.#ringing?.stop()
    const caller = this.#caller && this.#seats.get(this.#caller)?.party
    caller?.change({ muted: false })
    if (answered && caller) this.#say(caller, 'connected')
    if (!answered) void this.#outgoing?.hangUp()
  }

  async #part(farewell: EndNotice): Promise<void> {
    const { voice } = this.#options
    const parties = Array.from(this.#seats.values(), ({ party }) => party)
    if (farewell === 'other-left') await Promise.all(parties.map(party => voice.heardOut(party)))
    await Promise.all(parties.map(party => voice.say(party, farewell)))
    this.#apply({ type: 'said' })
  }

  #end(): void {
    for (const { party, missing } of this.#seats.values()) {
      missing?.[Symbol.dispose]()
      void party.hangUp()
    }
    this.#seats.clear()
    void this.#outgoing?.hangUp()
    this.#options.over(this.#caller)
  }

  #say(...words: Parameters<TwoPartyCallVoice['say']>): void {
    void this.#options.voice.say(...words)
  }
}

/** Failures with a specific notice. */
const FAILURES: { readonly [K in ErrorCode]?: EndNotice } = {
  CAPACITY: 'line-full',
  DIAL_QUOTA_EXCEEDED: 'minutes-spent',
}

function named(party: { readonly name?: string } | undefined): Record<string, string> {
  return party?.name === undefined ? {} : { name: party.name }
}

function farewellOf(outcome: Exclude<DialOutcome, { kind: 'answered' }>): EndNotice {
  switch (outcome.kind) {
    case 'failed':
      return FAILURES[outcome.error.code] ?? 'call-failed'
    case 'canceled':
      return 'no-answer'
    default:
      return outcome.kind
  }
}
