/** A language of the service: whether it is recognized and spoken, and its target languages. */
export interface OfferedLanguage {
  readonly id: string
  readonly heard: boolean
  readonly spoken: boolean
  readonly into: readonly string[]
}

/** A language identifier of the service interface: `<language>-<region>`, lower case (`en-us`, `es-419`). */
export type LanguageId = string

const PATTERN = /^[a-z]{2,3}-([a-z]{2}|[0-9]{3})$/

/** Returns true if `text` has the form of a language identifier. Does not check whether a service supports it. */
export function isLanguageId(text: string): text is LanguageId {
  return PATTERN.test(text)
}

/** A language with an optional script and region, in the forms that people and systems write: `EN_us`, `zh-Hant`, `pt`. */
const WRITTEN = /^([a-z]{2,3})(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?$/

/**
 * Normalizes a language to its identifier: `en_US` and `EN-us` become `en-us`, and a language without a region gets its
 * most common one, `en` becomes `en-us`. Every language from outside passes through here. Throws `RangeError` for
 * anything else.
 */
export function languageId(text: unknown): LanguageId {
  const id = typeof text === 'string' ? text.trim().toLowerCase().replaceAll('_', '-') : ''
  if (isLanguageId(id)) return id
  const [, primary, script = '', , region] = WRITTEN.exec(id) ?? []
  if (primary !== undefined) {
    const likely = region ?? new Intl.Locale(`${primary}${script}`).maximize().region?.toLowerCase()
    if (likely !== undefined) return `${primary}-${likely}`
  }
  throw new RangeError(`language must be <language>-<region>, such as en-us; got ${shown(text)}`)
}

/** Only text that can be meant as a language, because messages are logged. */
function shown(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'object' && value ? 'an object' : String(value)
  return /^[\p{L}_-]{0,24}$/u.test(value) ? `"${value}"` : `a text of ${value.length} characters`
}

/** Returns the primary language subtag of a language identifier or tag: `es-419` → `es`. */
export function primaryLanguage(language: string): string {
  return language.split('-', 1)[0]!
}

/** Formats a language identifier as BCP 47 is written: `en-us` → `en-US`. */
export function languageTag(language: LanguageId): string {
  const [primary = '', region = ''] = language.split('-')
  return region === '' ? primary : `${primary}-${region.toUpperCase()}`
}

/** Returns true if both have the same language; the region is ignored. */
export function sameLanguage(a: LanguageId, b: LanguageId): boolean {
  return primaryLanguage(a) === primaryLanguage(b)
}
