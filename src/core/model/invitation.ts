import type { LanguageId } from '../../common/language.ts'
import type { LogUser } from '../../common/log.ts'
import type { Leg } from './leg.ts'

/** Level of original voices: muted, always low, or low and ducked further while their translation plays. */
export type OriginalMix = 'off' | 'low' | 'duck'

/**
 * Output that a participant receives: `audio`, voices and their translations; `captions`, text in their language without
 * audio; `none`, for participants who only speak.
 */
export type Receives = 'audio' | 'captions' | 'none'

/** Voices by language: ids in the service's list. */
export type TranslatedVoices = Readonly<Partial<Record<LanguageId, string>>>

/** Room and preferences with which a leg is admitted. */
export interface Invitation {
  /** Name of the room; legs in the same room hear each other. */
  readonly room: string
  /** Spoken language; omit it for a participant who only listens. */
  readonly speaks?: LanguageId
  /** Language to hear; omit it for originals only. */
  readonly hears?: LanguageId
  /** Voice for the translations they hear, by its id in the service's list; omit it for the default voice. */
  readonly voice?: string
  /** Voices in which their own speech is translated, by language, for listeners who chose none. */
  readonly translatedVoices?: TranslatedVoices
  /** Default `duck`. */
  readonly original?: OriginalMix
  /** Keeps or drops unplayed translations when they speak; default: the setting of the relay (`keep`). */
  readonly interrupt?: 'keep' | 'clear'
  /** Name shown with captions. */
  readonly name?: string
  /** Play them their own translation while they are alone in the room. Set false if they wait for a callee. Default true. */
  readonly echo?: boolean
  /**
   * A shared space, such as a voice channel, in which participants hear each other's original voices without us. We play
   * them only translations. Omit it otherwise.
   */
  readonly sharedSpace?: string
  /** Default `audio`. */
  readonly receives?: Receives
  /** Call that `TwoPartyCalls` places when the participant has joined. */
  readonly dial?: DialPlan
  /** Time for which the call lasted before, at a server that has ended (ms): it counts for the limit of a call. */
  readonly elapsedMs?: number
  /** Set for a callee of a two-party call, whose call ends when they are alone in the room. */
  readonly called?: true
}

/** A call placed for a participant who has joined, to connect the two. */
export interface DialPlan {
  /** E.164 number; never appears in events or logs. */
  readonly to: string
  /** Invitation of the callee, who joins the participant's room. */
  readonly callee: Omit<Invitation, 'room' | 'echo' | 'dial' | 'called'>
  /** Maximum ringing time (s); the channel has a default. */
  readonly ringSeconds?: number
  /** Action for the participant after a failed call, once the notice was played. Default `hang-up`. */
  readonly unanswered?: 'hang-up' | 'stay'
  /** Another server called them and has shut down. Wait for them to reconnect, and call again only if they do not. */
  readonly resumed?: true
}

/** Entry point for legs: the part of the relay that a bridge needs. */
export interface Admission extends LogUser {
  /**
   * Takes ownership of `leg` and attaches to it before returning. Throws `BridgeError` `CAPACITY` if no more legs are
   * accepted; the caller then keeps ownership and must close the leg.
   */
  admit(leg: Leg, invitation: Invitation): void
}
