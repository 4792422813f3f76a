import type { LanguageId } from '../../../common/language.ts'

/** Source of a member's language. */
export type LanguageFrom = 'asked' | 'remembered' | 'locale' | 'default'

/** A person in the voice channel. */
export interface ChannelMember {
  readonly userId: string
  /** Name in the guild: 1 to 64 characters, without control characters. */
  readonly name: string
  readonly language: LanguageId
  readonly languageFrom: LanguageFrom
  /** False: they opted out. */
  readonly consents: boolean
  /** The notice was posted for them. Listening starts only then. */
  readonly informed: boolean
  /** False in the audience of a stage, where members are inaudible. */
  readonly speaks: boolean
}

/** Maximum length of a name (characters). */
const LONGEST = 64

/** Returns `name` as a valid participant name. */
export function memberName(name: string): string {
  const clean = name.replace(/\p{Cc}+/gu, ' ').trim()
  let short = clean.slice(0, LONGEST)
  if (/[\uD800-\uDBFF]$/.test(short)) short = short.slice(0, -1)
  return short === '' ? '?' : short
}
