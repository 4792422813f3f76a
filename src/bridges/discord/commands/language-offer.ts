import type { LanguageId } from '../../../core/languages.ts'

/** What the translation service can do with one language. */
export interface OfferedLanguage {
  readonly id: LanguageId
  /** Speech in it can be recognised. */
  readonly heard: boolean
  /** There is a voice for it. */
  readonly spoken: boolean
}

/** Asks the service for its languages as they are now. May reject. */
export type LanguageOffer = () => Promise<readonly OfferedLanguage[]>
