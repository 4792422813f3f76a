import type { Announcer } from './announcer.ts'
import { after, type Clock, systemClock } from './clock.ts'
import type { Dialler } from './dialler.ts'
import type { Admission, Invitation } from './invitation.ts'
import type { LanguageId } from './languages.ts'
import type { Leg } from './leg.ts'
import { type Log, silentLog } from './log.ts'
import type { Participant } from './participant.ts'
import type { Relay } from './relay.ts'
import { SwitchboardCall } from './switchboard-call.ts'
import type { Farewell } from './switchboard-state.ts'
import { SwitchboardVoice } from './switchboard-voice.ts'

/** What the switchboard works with. Everything stays its owner’s. */
export interface SwitchboardParts {
  /** Where everybody is admitted; stays its owner's. */
  readonly relay: Relay
  readonly announcer: Announcer
  /** Absent: dialling out is off. */
  readonly dialler?: Dialler | undefined
  readonly clock?: Clock
  readonly log?: Log
  /** Rooms at a time; whoever would open one more is told so and hung up. Default: as many as there are legs for. */
  readonly maxRooms?: number | undefined
  /** A leg ends after this long, and a call between two with it. Default: never. */
  readonly maxMinutes?: number | undefined
  /** Of notices for parties without a language. Default `en-us`. */
  readonly language?: LanguageId | undefined
}

/** Of a call that was dialled, Twilio's own limit comes this much later than ours, which is announced (s). */
const LIMIT_MARGIN_SECONDS = 60

/**
 * Puts calls through: everybody is admitted by it, and for whom an invitation says so (`dial`) somebody else is called.
 * They hear a ringing tone until that one has come, are told what became of it otherwise, and when one of the two hangs
 * up the other is told and hung up as well, unless others have joined them. Knows no channel: only legs and a dialler.
 */
export class Switchboard implements Admission {
  readonly #parts: SwitchboardParts
  readonly #clock: Clock
  readonly #log: Log
  readonly #voice: SwitchboardVoice
  readonly #calls = new Map<string, SwitchboardCall>()
  /** When a party must go (clock ms). By invitation: a party whose leg is replaced gets no more time. */
  readonly #deadlines = new WeakMap<Invitation, number>()
  /** Callers whose call is over: a leg of theirs that comes late must not make a telephone ring again. */
  readonly #done = new WeakSet<Invitation>()

  constructor(parts: SwitchboardParts) {
    const { clock = systemClock, log = silentLog, announcer, language = 'en-us' } = parts
    this.#parts = parts
    this.#clock = clock
    this.#log = log
    this.#voice = new SwitchboardVoice(announcer, clock, language)
  }

  /** Calls between two that ring or go on. */
  get calls(): number {
    return this.#calls.size
  }

  admit(leg: Leg, invitation: Invitation): void {
    const { relay, maxRooms = Number.POSITIVE_INFINITY } = this.#parts
    const { dial, called, ...plain } = invitation
    if (!relay.rooms.has(plain.room) && relay.rooms.size >= maxRooms) {
      relay.admit(leg, { ...plain, room: `full ${leg.id}`, echo: false })
      this.#log.warn({ legId: leg.id, rooms: relay.rooms.size }, 'turned away: too many rooms')
      this.#dismiss(this.#party(leg), 'line-full')
      return
    }
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

  #party(leg: Leg): Participant {
    const party = this.#parts.relay.find(leg.id)
    if (!party) throw new RangeError(`${leg.id} was admitted, but is nowhere`)
    return party
  }

  #begin(first: Invitation): SwitchboardCall {
    const { dialler, maxMinutes } = this.#parts
    const { room } = first
    const call = new SwitchboardCall(first, {
      dialler,
      voice: this.#voice,
      clock: this.#clock,
      log: this.#log,
      limitSeconds: maxMinutes === undefined ? undefined : Math.ceil(maxMinutes * 60) + LIMIT_MARGIN_SECONDS,
      over: caller => {
        this.#calls.delete(room)
        this.#done.add(caller ?? first)
      },
    })
    this.#calls.set(room, call)
    return call
  }

  #limit(leg: Leg, invitation: Invitation, timeUp: () => void): void {
    const { maxMinutes } = this.#parts
    if (maxMinutes === undefined) return
    const now = this.#clock.now()
    const deadline = this.#deadlines.get(invitation) ?? now + maxMinutes * 60_000
    this.#deadlines.set(invitation, deadline)
    const timer = after(this.#clock, Math.max(0, deadline - now), timeUp)
    void leg.ended.then(() => timer[Symbol.dispose]())
  }

  /** Tells a party why they must go, and hangs up. */
  #dismiss(party: Participant, farewell: Farewell): void {
    void this.#voice.say(party, farewell).then(() => party.hangUp())
  }
}
