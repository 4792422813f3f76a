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

/** Normalizes `text` to a language identifier: `en_US` and `EN-us` become `en-us`. Throws on an invalid identifier. */
export function languageId(text: string): LanguageId {
  const id = text.trim().toLowerCase().replace('_', '-')
  if (!isLanguageId(id))
    throw new RangeError(`language must be <language>-<region>, such as en-us; got "${text}"`)
  return id
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
