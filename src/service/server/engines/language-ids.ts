import type { LanguageId } from '../../../core/languages.ts'

/** What one language identifier of the interface means to the engines. */
export interface LanguageRow {
  readonly id: LanguageId
  readonly name: string
  /** The written language for translation; several regions may share one. Absent: not translated here. */
  readonly written?: string
  /** Language of the eSpeak NG voice. Absent: there is none that would do. */
  readonly espeak?: string
  /** The voice is of another language, named here: said in the name of the voice. */
  readonly borrowed?: string
}

/** Every language that any engine here may know. What is really offered is probed. */
export const LANGUAGE_ROWS: readonly LanguageRow[] = [
  { id: 'en-us', name: 'English (United States)', written: 'en', espeak: 'en-us' },
  { id: 'en-gb', name: 'English (United Kingdom)', written: 'en', espeak: 'en-gb' },
  { id: 'es-es', name: 'Spanish (Spain)', written: 'es', espeak: 'es' },
  { id: 'es-mx', name: 'Spanish (Mexico)', written: 'es', espeak: 'es-419' },
  { id: 'es-419', name: 'Spanish (Latin America)', written: 'es', espeak: 'es-419' },
  { id: 'ca-es', name: 'Catalan', written: 'ca', espeak: 'ca' },
  { id: 'gl-es', name: 'Galician', written: 'gl', espeak: 'pt', borrowed: 'Portuguese' },
  { id: 'eo-001', name: 'Esperanto', written: 'eo', espeak: 'eo' },
  { id: 'pt-pt', name: 'Portuguese (Portugal)', written: 'pt', espeak: 'pt' },
  { id: 'pt-br', name: 'Portuguese (Brazil)', written: 'pt', espeak: 'pt-br' },
  { id: 'fr-fr', name: 'French (France)', written: 'fr', espeak: 'fr-fr' },
  { id: 'it-it', name: 'Italian (Italy)', written: 'it', espeak: 'it' },
  { id: 'de-de', name: 'German (Germany)', espeak: 'de' },
  { id: 'nl-nl', name: 'Dutch (Netherlands)', espeak: 'nl' },
  { id: 'sv-se', name: 'Swedish (Sweden)', espeak: 'sv' },
  { id: 'da-dk', name: 'Danish (Denmark)', espeak: 'da' },
  { id: 'nb-no', name: 'Norwegian Bokmål (Norway)', espeak: 'nb' },
  { id: 'fi-fi', name: 'Finnish (Finland)', espeak: 'fi' },
  { id: 'is-is', name: 'Icelandic (Iceland)', espeak: 'is' },
  { id: 'pl-pl', name: 'Polish (Poland)', espeak: 'pl' },
  { id: 'cs-cz', name: 'Czech (Czechia)', espeak: 'cs' },
  { id: 'sk-sk', name: 'Slovak (Slovakia)', espeak: 'sk' },
  { id: 'hu-hu', name: 'Hungarian (Hungary)', espeak: 'hu' },
  { id: 'ro-ro', name: 'Romanian (Romania)', espeak: 'ro' },
  { id: 'bg-bg', name: 'Bulgarian (Bulgaria)', espeak: 'bg' },
  { id: 'el-gr', name: 'Greek (Greece)', espeak: 'el' },
  { id: 'hr-hr', name: 'Croatian (Croatia)', espeak: 'hr' },
  { id: 'uk-ua', name: 'Ukrainian (Ukraine)', espeak: 'uk' },
  { id: 'ru-ru', name: 'Russian (Russia)', espeak: 'ru' },
  { id: 'tr-tr', name: 'Turkish (Türkiye)', espeak: 'tr' },
  { id: 'eu-es', name: 'Basque', espeak: 'eu' },
]

/** The row of `id`, if it has one. */
export function languageRow(id: LanguageId): LanguageRow | undefined {
  return LANGUAGE_ROWS.find(row => row.id === id)
}
