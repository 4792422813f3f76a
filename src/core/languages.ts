/** A language identifier of the service interface: `<language>-<region>`, lower case (`en-us`, `es-419`). */
export type LanguageId = string

const PATTERN = /^[a-z]{2,3}-([a-z]{2}|[0-9]{3})$/

/** Whether `text` has the form of a language identifier; says nothing about who supports it. */
export function isLanguageId(text: string): text is LanguageId {
  return PATTERN.test(text)
}

/** `text` as a language identifier: `en_US` and `EN-us` become `en-us`. Throws on anything else. */
export function languageId(text: string): LanguageId {
  const id = text.trim().toLowerCase().replace('_', '-')
  if (!isLanguageId(id)) throw new RangeError(`a language is <language>-<region> like en-us, got "${text}"`)
  return id
}

/** Whether speakers of the two understand each other: the language is the same, the region may differ. */
export function sameLanguage(a: LanguageId, b: LanguageId): boolean {
  return a.slice(0, a.indexOf('-')) === b.slice(0, b.indexOf('-'))
}
