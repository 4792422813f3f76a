import type { LanguageId } from '../../common/language.ts'

/**
 * What a listener gets from a speaker:
 * `translated`; `stand-in`, translated by a replacement of a preferred engine or service; `original`, they need no
 * translation; `unavailable`, the translation that they need is missing, and they hear the original, except their own;
 * `nothing`, the speaker is muted, or they hear each other without us.
 */
export const GETS = ['translated', 'stand-in', 'original', 'unavailable', 'nothing'] as const
export type Gets = (typeof GETS)[number]

/** Why a translation is missing. */
export const LACKS = [
  /** No service works. */
  'service-unavailable',
  /** All sessions of the service are in use; the next free one is theirs. */
  'no-place',
  /** The service does not accept this request, for example because of a language. */
  'refused',
  /** The connection was lost or cannot be opened, while others work. */
  'no-connection',
  /** The service returns text without a voice. */
  'no-voice',
] as const
export type Lack = (typeof LACKS)[number]

/** Why they get that; `translated` needs no reason. */
export const WHYS = [
  ...LACKS,
  /** `stand-in`: an engine of the service serves in place of a preferred one, or a fallback service translates. */
  'replacement-engine',
  'fallback-service',
  /** `original`: they share a language, interpretation is off, or the listener has chosen no language. */
  'same-language',
  'interpreting-off',
  'originals-wanted',
  /** `nothing`: the speaker is muted, or they hear each other in the same place. */
  'muted',
  'in-person',
] as const
export type Why = (typeof WHYS)[number]

/** What one listener or reader gets from one speaker now. Every status is derived from these. */
export interface Reception {
  /** The ids of the participants; one's own translation has the same id twice. */
  readonly speaker: string
  readonly listener: string
  /** The language into which the speaker is translated for them; absent if they need no translation. */
  readonly to?: LanguageId | undefined
  readonly gets: Gets
  readonly why?: Why | undefined
  /** The speaker has spoken since the translation is `unavailable`. While they are silent, nobody misses it. */
  readonly missed: boolean
}

/** What a speaker's translation, or original, gives to its listeners. */
export type Given = Pick<Reception, 'gets' | 'why'>
