import type { LanguageId } from './languages.ts'
import type { Leg } from './leg.ts'

/** How loud others' original voice is under their translation: not at all, always soft, or soft and softer under it. */
export type OriginalVoice = 'off' | 'low' | 'duck'

/** What a leg is admitted to. */
export interface Invitation {
  /** Legs that name the same room hear each other. */
  readonly room: string
  /** What the party speaks; absent: the party only listens. */
  readonly speaks?: LanguageId
  /** What the party wants to hear; absent: only originals. */
  readonly hears?: LanguageId
  /** Default `duck`. */
  readonly original?: OriginalVoice
  /** Shown with captions. */
  readonly name?: string
}

/** The one way in: the part of the relay that a bridge needs. */
export interface Admission {
  /**
   * Takes ownership of `leg` and attaches to it before returning.
   * Throws `BridgeError` `CAPACITY` when no more legs are taken; the caller then still owns the leg and closes it.
   */
  admit(leg: Leg, invitation: Invitation): void
}
