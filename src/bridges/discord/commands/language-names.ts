import type { LanguageId } from '../../../core/languages.ts'

/** Discord has some thirty locales, and a service some hundred languages. */
const MOST = 300
const names = new Map<string, Intl.DisplayNames>()

/** A language in the words of `locale`: `es-es` is “Spanish (Spain)” for `en-US`. English where `locale` is none. */
export function languageName(id: LanguageId, locale: string): string {
  try {
    return namesIn(locale).of(id) ?? id
  } catch {
    return id
  }
}

/** A language in its own words: “español (España)”. */
export function nativeName(id: LanguageId): string {
  return languageName(id, id)
}

/** A list as `locale` writes it: “A, B and C”. */
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
