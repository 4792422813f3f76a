import { capitalised, english, sentence } from './normalise.ts'

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
  if (from !== 'en') return { before: capitalised(line), after: sentence }
  const polite = /\bplease\b/i.test(line) ? PLEASE[to ?? ''] : undefined
  const asked = line
    .replace(/\s+/g, ' ')
    .replace(/[ ,]{0,4}\bplease\b,?/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  if (asked === '') return { before: 'please', after: translation => sentence(polite ?? translation) }
  const before = capitalised(english(asked))
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
