import type { LanguageId } from '../../../common/language.ts'

/** Cache size: Discord has about thirty locales, and a service about a hundred languages. */
const MOST = 300
const names = new Map<string, Intl.DisplayNames>()

/** Name of a language in `locale`: `es-es` is “Spanish (Spain)” in `en-US`. English if `locale` is unknown. */
export function languageName(id: LanguageId, locale: string): string {
  try {
    return namesIn(locale).of(id) ?? id
  } catch {
    return id
  }
}

/** Name of a language in the language itself: “español (España)”. */
export function nativeName(id: LanguageId): string {
  return languageName(id, id)
}

/** A list in the style of `locale`: “A, B and C”. */
export function listed(parts: readonly string[], locale: string): string {
  try {
    return new Intl.ListFormat(locale, { type: 'conjunction' }).format(parts)
  } catch {
    return parts.join(', ')
  }
}

function namesIn(locale: string): Intl.DisplayNames {
  const known = names.get(locale)
  if (known) return known
  const made = new Intl.DisplayNames([locale, 'en'], { type: 'language', languageDisplay: 'standard' })
  if (names.size < MOST) names.set(locale, made)
  return made
}
