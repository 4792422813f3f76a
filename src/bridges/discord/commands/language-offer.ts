import type { LanguageId } from '../../../common/language.ts'

/** Capabilities of the translation service for one language. */
export interface OfferedLanguage {
  readonly id: LanguageId
  /** Speech recognition is available. */
  readonly heard: boolean
  /** A voice is available. */
  readonly spoken: boolean
}

/** Fetches the service's current languages. May reject. */
export type LanguageOffer = () => Promise<readonly OfferedLanguage[]>
