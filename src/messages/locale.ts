import { type LanguageId, languageId } from '../common/language.ts'

/** Languages of replies. */
export const UI_LANGUAGES = ['en', 'es', 'fr', 'de', 'it', 'pt'] as const
export type UiLanguage = (typeof UI_LANGUAGES)[number]

/** Discord's locales for each language except English, the default (Discord: Locales). */
export const DISCORD_LOCALES = {
  es: ['es-ES', 'es-419'],
  fr: ['fr'],
  de: ['de'],
  it: ['it'],
  pt: ['pt-BR'],
} as const satisfies Record<Exclude<UiLanguage, 'en'>, readonly string[]>

/**
 * Returns the language of a Discord locale, with its most common region: `de` is `de-de`. English if `locale` is
 * invalid.
 */
export function languageOfLocale(locale: string): LanguageId {
  try {
    const { language: primary, region } = new Intl.Locale(locale).maximize()
    // Discord has only "Norwegian"; services list the written language.
    const language = primary === 'no' ? 'nb' : primary
    return languageId(`${language}-${region}`)
  } catch {
    return 'en-us'
  }
}
