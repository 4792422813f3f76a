import { capitalised, english, sentence } from './normalise.ts'

/** How a translator is asked politely in the written languages whose rules make a verb of "please". */
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
  /** What the translator gets. */
  readonly before: string
  /** Finishes what it answers. */
  readonly after: (translation: string) => string
}

/**
 * Makes one sentence of a recogniser (lower case, no punctuation) fit for translation by rules, from and to written
 * languages: English as it is written, "please" taken out and put back. The final period is the translator's to add.
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
