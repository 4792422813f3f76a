import { type LanguageId, languageId, primaryLanguage } from '../common/language.ts'

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

/**
 * Messages by language. Keys are primary languages (`es`), or tags of a region with its own texts (`es-mx`). Pages
 * load this file too.
 */
type Catalog<T> = Readonly<Partial<Record<string, T>>>

/**
 * Returns the keys of `catalog` that serve a language tag, such as a language identifier or a client's locale, best
 * first: the tag itself, then its primary language.
 */
export function catalogKeys(catalog: Catalog<unknown>, tag: string): string[] {
  const exact = tag.toLowerCase()
  return [...new Set([exact, primaryLanguage(exact)])].filter(key => Object.hasOwn(catalog, key))
}

/** Returns the messages for a language tag, or undefined if the language has none. */
export function messagesOf<T>(catalog: Catalog<T>, tag: string): T | undefined {
  const [key] = catalogKeys(catalog, tag)
  return key === undefined ? undefined : catalog[key]
}

/** Returns the messages for a language tag; English if the language has none. */
export function messagesFor<T>(catalog: Catalog<T> & { readonly en: T }, tag: string): T {
  return messagesOf(catalog, tag) ?? catalog.en
}
