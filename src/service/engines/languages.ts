import { type LanguageId, primaryLanguage, sameLanguage } from '../../common/language.ts'

/** Other codes that servers use for a language, tried before its own. */
const ALIASES: Readonly<Record<LanguageId, readonly string[]>> = {
  'nb-no': ['nb', 'no'],
  'pt-br': ['pt-BR', 'pb', 'pt'],
  'zh-cn': ['zh-Hans', 'zh'],
  'zh-tw': ['zh-Hant', 'zt', 'zh'],
}

/** Returns the ISO 639 code of a language identifier, as speech models expect it: `es-419` → `es`. */
export function primaryCode(language: LanguageId): string {
  const code = primaryLanguage(language)
  return code === 'nb' ? 'no' : code
}

/** Returns codes by which a server may know a language, best first. */
export function codesFor(language: LanguageId): readonly string[] {
  return ALIASES[language] ?? [primaryLanguage(language)]
}

/**
 * Returns the language that a service means by `code` (`es`, `es-MX`): the one of the stream if it is the same, else the
 * first of the engine's. Undefined if the engine is not used for it, or tells none.
 */
export function heardLanguage(
  code: string | null | undefined,
  current: LanguageId,
  languages: readonly LanguageId[],
): LanguageId | undefined {
  if (!code) return undefined
  const told = code.toLowerCase().replace('_', '-')
  if (sameLanguage(told, current)) return current
  return languages.find(each => sameLanguage(each, told) || primaryCode(each) === primaryLanguage(told))
}

/** Properties of one language identifier for the engines. */
export interface LanguageRow {
  readonly id: LanguageId
  readonly name: string
  /** Written language for translation; several regions can share one. */
  readonly written: string
  /** Language of the eSpeak NG voice. Absent: no suitable voice. */
  readonly espeak?: string
  /** The voice is of another language, named here, which its name includes. */
  readonly borrowed?: string
}

/** All languages that any engine may support. The languages actually offered are detected. */
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
  { id: 'de-de', name: 'German (Germany)', written: 'de', espeak: 'de' },
  { id: 'nl-nl', name: 'Dutch (Netherlands)', written: 'nl', espeak: 'nl' },
  { id: 'sv-se', name: 'Swedish (Sweden)', written: 'sv', espeak: 'sv' },
  { id: 'da-dk', name: 'Danish (Denmark)', written: 'da', espeak: 'da' },
  { id: 'nb-no', name: 'Norwegian Bokmål (Norway)', written: 'nb', espeak: 'nb' },
  { id: 'fi-fi', name: 'Finnish (Finland)', written: 'fi', espeak: 'fi' },
  { id: 'is-is', name: 'Icelandic (Iceland)', written: 'is', espeak: 'is' },
  { id: 'pl-pl', name: 'Polish (Poland)', written: 'pl', espeak: 'pl' },
  { id: 'cs-cz', name: 'Czech (Czechia)', written: 'cs', espeak: 'cs' },
  { id: 'sk-sk', name: 'Slovak (Slovakia)', written: 'sk', espeak: 'sk' },
  { id: 'hu-hu', name: 'Hungarian (Hungary)', written: 'hu', espeak: 'hu' },
  { id: 'ro-ro', name: 'Romanian (Romania)', written: 'ro', espeak: 'ro' },
  { id: 'bg-bg', name: 'Bulgarian (Bulgaria)', written: 'bg', espeak: 'bg' },
  { id: 'el-gr', name: 'Greek (Greece)', written: 'el', espeak: 'el' },
  { id: 'hr-hr', name: 'Croatian (Croatia)', written: 'hr', espeak: 'hr' },
  { id: 'uk-ua', name: 'Ukrainian (Ukraine)', written: 'uk', espeak: 'uk' },
  { id: 'ru-ru', name: 'Russian (Russia)', written: 'ru', espeak: 'ru' },
  { id: 'tr-tr', name: 'Turkish (Türkiye)', written: 'tr', espeak: 'tr' },
  { id: 'eu-es', name: 'Basque', written: 'eu', espeak: 'eu' },
  // Only supported by other engines than the installed ones.
  { id: 'fr-ca', name: 'French (Canada)', written: 'fr' },
  { id: 'ar-sa', name: 'Arabic (Saudi Arabia)', written: 'ar' },
  { id: 'fa-ir', name: 'Persian (Iran)', written: 'fa' },
  { id: 'he-il', name: 'Hebrew (Israel)', written: 'he' },
  { id: 'hi-in', name: 'Hindi (India)', written: 'hi' },
  { id: 'id-id', name: 'Indonesian (Indonesia)', written: 'id' },
  { id: 'ja-jp', name: 'Japanese (Japan)', written: 'ja' },
  { id: 'ko-kr', name: 'Korean (South Korea)', written: 'ko' },
  { id: 'th-th', name: 'Thai (Thailand)', written: 'th' },
  { id: 'vi-vn', name: 'Vietnamese (Vietnam)', written: 'vi' },
  { id: 'zh-cn', name: 'Chinese (simplified)', written: 'zh' },
  { id: 'zh-tw', name: 'Chinese (traditional)', written: 'zh' },
]

/** Returns the row of `id`, if any. */
export function languageRow(id: LanguageId): LanguageRow | undefined {
  return LANGUAGE_ROWS.find(row => row.id === id)
}
