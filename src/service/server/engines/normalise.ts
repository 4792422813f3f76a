import type { LanguageId } from '../../../core/languages.ts'

/** Names of days and months that English writes with a capital and that are no other word; "march" and "may" are. */
const CALENDAR =
  /\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|april|june|july|august|september|october|november|december)(s?)\b/g

/** Titles before a name, as they are written. */
const TITLES: readonly (readonly [said: RegExp, written: string])[] = [
  [/\b(?:mr|mister)\b\.?(?=\s+\p{L})/giu, 'Mr.'],
  [/\b(?:mrs|missus)\b\.?(?=\s+\p{L})/giu, 'Mrs.'],
  [/\bms\b\.?(?=\s+\p{L})/giu, 'Ms.'],
  [/\bdr\b\.?(?=\s+\p{L})/giu, 'Dr.'],
]

/**
 * Text of a recogniser (lower case, no punctuation) written as a reader and a translator expect it: a capital at the
 * start and a period at the end; in English also the pronoun "I", titles, days and months. Text that is written well
 * already stays as it is.
 */
export function normalised(text: string, from: LanguageId): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  return sentence(from.startsWith('en-') ? english(line) : line)
}

/** English with the capitals it is written with inside a sentence. */
export function english(line: string): string {
  // "i." and "i-" are no pronoun: "i.e.", "i-mode".
  let text = line.replace(/(?<![\p{L}\p{N}.@/-])i(?=$|[\s,;:!?]|['’](?:m|ll|ve|d|re|s)\b|\.(?=$|\s))/gu, 'I')
  for (const [said, written] of TITLES) text = text.replace(said, written)
  return text.replace(CALENDAR, (_, name: string, plural: string) => capitalised(name) + plural)
}

/** With a capital at the start and a mark at the end, as a voice reads it best. Nothing stays nothing. */
export function sentence(text: string): string {
  if (text === '') return ''
  return /[.?!…。？！][)"'”’»]*$/u.test(text) ? capitalised(text) : `${capitalised(text)}.`
}

/** With its first letter as a capital, behind an opening mark if there is one. */
export function capitalised(text: string): string {
  return text.replace(
    /^([¿¡"'“‘«(]*)(\p{Ll})/u,
    (_, marks: string, letter: string) => marks + letter.toUpperCase(),
  )
}

/** The sentences of a text. A title, an initial and a number with a point do not end one. */
export function sentences(text: string): string[] {
  return text
    .split(/(?<=[.?!…]["'”’»)]{0,3})(?<!\b(?:Mrs?|Ms|Dr|St|\p{Lu})\.)\s+(?=["'“‘«(¿¡]{0,3}\p{Lu})/u)
    .map(part => part.trim())
    .filter(part => part !== '')
}
