import type { LanguageId } from '../../common/language.ts'

/** Capabilities of a translation service, as it reports them. */
export interface ServiceCatalog {
  readonly languages: readonly CatalogLanguage[]
  readonly voices: readonly CatalogVoice[]
  /** Names of its engines, if it reports them. */
  readonly engines?: readonly string[]
}

export interface CatalogLanguage {
  readonly id: LanguageId
  /** In English. */
  readonly name: string
  /** Speech in it is recognized. */
  readonly heard: boolean
  /** It has a voice. */
  readonly spoken: boolean
  /** Languages it is translated into. */
  readonly into: readonly LanguageId[]
}

export interface CatalogVoice {
  readonly id: string
  readonly name: string
  readonly language: LanguageId
  readonly gender: 'M' | 'F'
}
