import type { Catalog } from './catalog.ts'
import { GERMAN } from './de/index.ts'
import { ENGLISH } from './en/index.ts'
import { SPANISH } from './es/index.ts'
import { FRENCH } from './fr/index.ts'
import { ITALIAN } from './it/index.ts'
import { messagesFor, messagesOf } from './locale.ts'
import { PORTUGUESE } from './pt/index.ts'

/** The catalogs by language. A new language is a folder and its line here. */
export const CATALOGS = {
  en: ENGLISH,
  es: SPANISH,
  fr: FRENCH,
  de: GERMAN,
  it: ITALIAN,
  pt: PORTUGUESE,
} as const satisfies Readonly<Record<string, Catalog>>

export type UiLanguage = keyof typeof CATALOGS

/** The languages of texts. */
export const UI_LANGUAGES = Object.keys(CATALOGS) as readonly UiLanguage[]

/** Returns the texts for a language tag, such as a client's locale; English if the language has none. */
export function catalogFor(tag: string): Catalog {
  return messagesFor<Catalog>(CATALOGS, tag)
}

/** Returns the texts of a language in any region, or undefined. */
export function catalogOf(tag: string): Catalog | undefined {
  return messagesOf<Catalog>(CATALOGS, tag)
}
