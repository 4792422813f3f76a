const NAMES =
  /\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|april|june|july|august|september|october|november|december)\b/g

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
 * Makes text of a recogniser (lower case, no punctuation) fit for translation by rules, from and to written
 * languages: English "i" becomes a pronoun, titles and days get their capital, "please" is taken out and put back.
 */
export function edited(text: string, from: string | undefined, to: string | undefined): Edited {
  const line = text.trim()
  if (line === '') return { before: '', after: translation => translation }
  if (from !== 'en') return { before: capitalised(line), after: sentence }
  const polite = /\bplease\b/i.test(line) ? PLEASE[to ?? ''] : undefined
  const asked = line
    .replace(/[\s,]*\bplease\b,?/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  if (asked === '') return { before: 'please', after: translation => sentence(polite ?? translation) }
  const before = capitalised(
    asked
      .replace(/\bi\b/g, 'I')
      .replace(/\b(mr|mister)\b\.?/gi, 'Mr.')
      .replace(/\bmrs\b\.?/gi, 'Mrs.')
      .replace(/\bdr\b\.?/gi, 'Dr.')
      .replace(NAMES, capitalised),
  )
  return {
    before,
    after: translation => sentence(polite === undefined ? translation : withTail(translation, polite)),
  }
}

function withTail(translation: string, tail: string): string {
  const [, body = '', end = ''] = /^(.*?)([.?!]*)$/s.exec(translation) ?? []
  return `${body}, ${tail}${end}`
}

/** With a capital at the start and a mark at the end, as a voice reads it best. */
function sentence(text: string): string {
  if (text === '') return ''
  return /[.?!…]$/.test(text) ? capitalised(text) : `${capitalised(text)}.`
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
