import type { LanguageId } from '../../common/language.ts'

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
export function normalized(text: string, from: LanguageId): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  return sentence(from.startsWith('en-') ? english(line) : line)
}

/** Capitalizes English words inside a sentence. */
export function english(line: string): string {
  // "i." and "i-" are not the pronoun: "i.e.", "i-mode".
  let text = line.replace(/(?<![\p{L}\p{N}.@/-])i(?=$|[\s,;:!?]|['’](?:m|ll|ve|d|re|s)\b|\.(?=$|\s))/gu, 'I')
  for (const [said, written] of TITLES) text = text.replace(said, written)
  return text.replace(CALENDAR, (_, name: string, plural: string) => capitalized(name) + plural)
}

/** Adds an initial capital and final punctuation, which voices read best. An empty text stays empty. */
export function sentence(text: string): string {
  if (text === '') return ''
  return /[.?!…。？！][)"'”’»]*$/u.test(text) ? capitalized(text) : `${capitalized(text)}.`
}

/** Capitalizes the first letter, after an opening mark if any. */
export function capitalized(text: string): string {
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

/** Translations of "please" for the written languages in which rule-based translation makes a verb of it. */
const PLEASE: Readonly<Record<string, string>> = {
  es: 'por favor',
  ca: 'si us plau',
  gl: 'por favor',
  pt: 'por favor',
  fr: 's’il vous plaît',
  it: 'per favore',
  eo: 'mi petas',
}

export interface Edited {
  /** Input of the translator. */
  readonly before: string
  /** Post-processes its output. */
  readonly after: (translation: string) => string
}

/**
 * Prepares one sentence of a recognizer (lower case, no punctuation) for rule-based translation between written
 * languages: writes English with its capitals, and removes "please", which is restored afterwards. The translator adds
 * the final period.
 */
export function edited(text: string, from: string | undefined, to: string | undefined): Edited {
  const line = text.trim()
  if (line === '') return { before: '', after: translation => translation }
  if (from !== 'en') return { before: capitalized(line), after: sentence }
  const polite = /\bplease\b/i.test(line) ? PLEASE[to ?? ''] : undefined
  const asked = line
    .replace(/\s+/g, ' ')
    .replace(/[ ,]{0,4}\bplease\b,?/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  if (asked === '') return { before: 'please', after: translation => sentence(polite ?? translation) }
  const before = capitalized(english(asked))
  return {
    before,
    after: translation => sentence(polite === undefined ? translation : withTail(translation, polite)),
  }
}

function withTail(translation: string, tail: string): string {
  let end = translation.length
  while (end > 0 && '.?!'.includes(translation[end - 1]!)) end--
  return `${translation.slice(0, end)}, ${tail}${translation.slice(end)}`
}
