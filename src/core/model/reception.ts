import type { LanguageId } from '../../common/language.ts'

/**
 * What a listener gets from a speaker:
 * `translated`; `stand-in`, translated by a replacement of a preferred engine; `original`, both use the same language or
 * interpreting is off; `unavailable`, the translation that they need is missing, and they hear the original, except their own;
 * `nothing`, the speaker is muted, or they hear each other without us.
 */
export const GETS = ['translated', 'stand-in', 'original', 'unavailable', 'nothing'] as const
export type Gets = (typeof GETS)[number]

/** What one listener or reader gets from one speaker now. Every status is derived from these. */
export interface Reception {
  readonly speaker: string
  readonly listener: string
  /** The language into which the speaker is translated for them; absent if they need no translation. */
  readonly to?: LanguageId
  readonly gets: Gets
}
