import type { LanguageId } from '../../../common/language.ts'

/** Days and months that English capitalizes and that are not other words, unlike "march" and "may". */
const CALENDAR =
  /\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|april|june|july|august|september|october|november|december)(s?)\b/g

/** Titles before a name, with their spelling. */
const TITLES: readonly (readonly [said: RegExp, written: string])[] = [
  [/\b(?:mr|mister)\b\.?(?=\s+\p{L})/giu, 'Mr.'],
  [/\b(?:mrs|missus)\b\.?(?=\s+\p{L})/giu, 'Mrs.'],
  [/\bms\b\.?(?=\s+\p{L})/giu, 'Ms.'],
  [/\bdr\b\.?(?=\s+\p{L})/giu, 'Dr.'],
]

/**
 * Normalizes a recognizer's text (lower case, no punctuation) for readers and translators: an initial capital and a
 * final period; in English also the pronoun "I", titles, days and months. Well-written text stays unchanged.
 */
export function normalised(text: string, from: LanguageId): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  return sentence(from.startsWith('en-') ? english(line) : line)
}

/** Capitalizes English words inside a sentence. */
export function english(line: string): string {
  // "i." and "i-" are not the pronoun: "i.e.", "i-mode".
  let text = line.replace(/(?<![\p{L}\p{N}.@/-])i(?=$|[\s,;:!?]|['’](?:m|ll|ve|d|re|s)\b|\.(?=$|\s))/gu, 'I')
  for (const [said, written] of TITLES) text = text.replace(said, written)
  return text.replace(CALENDAR, (_, name: string, plural: string) => capitalised(name) + plural)
}

/** Adds an initial capital and final punctuation, which voices read best. An empty text stays empty. */
export function sentence(text: string): string {
  if (text === '') return ''
  return /[.?!…。？！][)"'”’»]*$/u.test(text) ? capitalised(text) : `${capitalised(text)}.`
}

/** Capitalizes the first letter, after an opening mark if any. */
export function capitalised(text: string): string {
  return text.replace(
    /^([¿¡"'“‘«(]*)(\p{Ll})/u,
    (_, marks: string, letter: string) => marks + letter.toUpperCase(),
  )
}

/** Splits a text into sentences. Titles, initials and numbers with a point do not end one. */
export function sentences(text: string): string[] {
  return text
    .split(/(?<=[.?!…]["'”’»)]{0,3})(?<!\b(?:Mrs?|Ms|Dr|St|\p{Lu})\.)\s+(?=["'“‘«(¿¡]{0,3}\p{Lu})/u)
    .map(part => part.trim())
    .filter(part => part !== '')
}
