import type { LanguageId } from './languages.ts'
import type { Leg } from './leg.ts'

/** How loud others' original voice is under their translation: not at all, always soft, or soft and softer under it. */
export type OriginalVoice = 'off' | 'low' | 'duck'

/**
 * What a party gets from us: voices, and translations of them; captions in the language they want, and nothing to hear;
 * or nothing at all: they only speak.
 */
export type Takes = 'voice' | 'text' | 'nothing'

/** What a leg is admitted to. */
export interface Invitation {
  /** Legs that name the same room hear each other. */
  readonly room: string
  /** What the party speaks; absent: the party only listens. */
  readonly speaks?: LanguageId
  /** What the party wants to hear; absent: only originals. */
  readonly hears?: LanguageId
  /** The voice of what they hear, by its id in the service's list; absent: the usual one. */
  readonly voice?: string
  /** Default `duck`. */
  readonly original?: OriginalVoice
  /** What becomes of translations they have not heard when they speak; default of the relay (`keep`). */
  readonly interrupt?: 'keep' | 'clear'
  /** Shown with captions. */
  readonly name?: string
  /** Alone in the room they hear their own translation. False for somebody who waits for another. Default true. */
  readonly echo?: boolean
  /**
   * Where the party can be heard without us, like a voice channel: parties of one place hear each other's own voices
   * there, and from us translations only. Absent: nowhere.
   */
  readonly place?: string
  /** Default `voice`. */
  readonly takes?: Takes
  /** Whom the switchboard calls as soon as the party is there. */
  readonly dial?: DialPlan
  /** They were called by a switchboard, for somebody in the room: alone there they are shown out. */
  readonly called?: true
}

/** Somebody who is called for a party that has arrived, so that the two can talk. */
export interface DialPlan {
  /** E.164; kept out of events and logs. */
  readonly to: string
  /** How they are in the room; the room is that of the party. */
  readonly callee: Omit<Invitation, 'room' | 'echo' | 'dial' | 'called'>
  /** How long it may ring (s); default of the channel. */
  readonly ringSeconds?: number
  /** What becomes of the party when nobody comes, once they have been told. Default `hang-up`. */
  readonly unanswered?: 'hang-up' | 'stay'
  /** Another server has called them, and is gone: they may come by themselves, and are called anew only if they do not. */
  readonly resumed?: true
}

/** The one way in: the part of the relay that a bridge needs. */
export interface Admission {
  /**
   * Takes ownership of `leg` and attaches to it before returning.
   * Throws `BridgeError` `CAPACITY` when no more legs are taken; the caller then still owns the leg and closes it.
   */
  admit(leg: Leg, invitation: Invitation): void
}
