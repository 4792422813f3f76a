import type { LanguageId } from '../../../core/languages.ts'

/** Where a member's language is known from. */
export type LanguageFrom = 'asked' | 'remembered' | 'locale' | 'default'

/** A person in the voice channel. */
export interface ChannelMember {
  readonly userId: string
  /** As the guild sees them: 1 to 64 characters, none of them a control character. */
  readonly name: string
  readonly language: LanguageId
  readonly languageFrom: LanguageFrom
  /** They did not say no. */
  readonly consents: boolean
  /** The notice that people are listened to was posted for them. Nobody is listened to before. */
  readonly informed: boolean
  /** False in the audience of a stage: nobody hears them. */
  readonly speaks: boolean
}

/** Characters of a name. */
const LONGEST = 64

/** `name` as a party may have it. */
export function memberName(name: string): string {
  const clean = name.replace(/\p{Cc}+/gu, ' ').trim()
  let short = clean.slice(0, LONGEST)
  if (/[\uD800-\uDBFF]$/.test(short)) short = short.slice(0, -1)
  return short === '' ? '?' : short
}
