import type { LanguageId } from '../../common/language.ts'

/** The audience of one language in a room: people who came by links for listening. */
export interface Audience {
  readonly language: LanguageId
  /** Number of people. */
  readonly listeners: number
}
