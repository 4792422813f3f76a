import { type LanguageId, languageId } from '../../../core/languages.ts'

/** The languages that people are answered in. */
export const TONGUES = ['en', 'es', 'fr', 'de', 'it', 'pt'] as const
export type Tongue = (typeof TONGUES)[number]

/** Discord's locales for each of them but English, which is what everybody else gets (Discord: Locales). */
export const DISCORD_LOCALES = {
  es: ['es-ES', 'es-419'],
  fr: ['fr'],
  de: ['de'],
  it: ['it'],
  pt: ['pt-BR'],
} as const satisfies Record<Exclude<Tongue, 'en'>, readonly string[]>

/** What somebody whose client is set to `locale` is answered in; English where there are no words for it. */
export function tongueOf(locale: string): Tongue {
  const [primary] = locale.toLowerCase().split('-')
  return TONGUES.find(tongue => tongue === primary) ?? 'en'
}

/** The language of a Discord locale, with the region where most people speak it: `de` is `de-de`. English for what is none. */
export function languageOfLocale(locale: string): LanguageId {
  try {
    const { language: primary, region } = new Intl.Locale(locale).maximize()
    // Discord says only "Norwegian"; services list the written language.
    const language = primary === 'no' ? 'nb' : primary
    return languageId(`${language}-${region}`)
  } catch {
    return 'en-us'
  }
}
