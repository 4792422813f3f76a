import type { LanguageId } from '../../core/languages.ts'

/** What a translation service can do, as it says itself. */
export interface Offer {
  readonly languages: readonly OfferedLanguage[]
  readonly voices: readonly OfferedVoice[]
}

export interface OfferedLanguage {
  readonly id: LanguageId
  /** In English. */
  readonly name: string
  /** It is understood when it is spoken. */
  readonly heard: boolean
  /** There is a voice for it. */
  readonly spoken: boolean
  /** Into which others it is translated. */
  readonly into: readonly LanguageId[]
}

export interface OfferedVoice {
  readonly id: string
  readonly name: string
  readonly language: LanguageId
  readonly gender: 'M' | 'F'
}
