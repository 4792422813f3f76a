import type { LanguageId } from '../../../common/language.ts'
import { type Figure, figuresIn, hasNumberWords } from './number-words.ts'

/**
 * Returns the figures of `text` that its translation does not have, as written; empty if all are there. Models and rules
 * corrupt figures, and a listener cannot notice.
 */
export function lostFigures(
  text: string,
  from: LanguageId,
  translation: string,
  to: LanguageId,
): readonly string[] {
  const wanted = figuresIn(text, from)
  if (wanted.every(({ weak }) => weak)) return []
  const given = figuresIn(translation, to)
  if (digitsOf(wanted) === digitsOf(given)) return []
  const left = given.map(({ value }) => value)
  const lost: Figure[] = []
  for (const figure of wanted) {
    const values = spellings(figure.value, text, translation)
    const at = left.findIndex(value => values.has(value))
    if (at >= 0) left.splice(at, 1)
    else if (!figure.weak && !WORDS[figure.value]?.test(translation)) lost.push(figure)
  }
  const known = hasNumberWords(to)
  return lost.filter(figure => known || isJudged(figure, left.length > 0)).map(figure => figure.text)
}

const QUARTER = /quarter|viertel|cuarto|\bquart\b|quarto/i
/** Figures that a translation can say as a word: parts of an hour, midday and midnight. */
const WORDS: Readonly<Record<string, RegExp>> = {
  12: /midday|noon|midnight|mediod[ií]a|medianoche|\bmidi\b|minuit|mittag|mitternacht|mezz(?:ogiorno|anotte)|mei[ao].(?:dia|noite)/i,
  15: QUARTER,
  30: /\bhalf\b|\bhalb\b|\bmedia\b|\bdemie?\b|\bmezz[ao]\b|\bmeia\b/i,
  45: QUARTER,
}

/**
 * Whether a figure can be judged in a language whose number words are unknown: small ones become words, larger ones stay
 * digits. `another`: the translation has digits that the text does not have.
 */
function isJudged({ text, value }: Figure, another: boolean): boolean {
  return /\d/.test(text) && (another || Number(value) > 12)
}

/** All digits in order: a telephone number or a year can be written as one number or as several. */
function digitsOf(figures: readonly Figure[]): string {
  // A value has no leading zeros.
  return figures
    .map(({ text, value }) => (/^\d+$/.test(text) ? text : value))
    .join('')
    .replace(/\D/g, '')
}

const AFTERNOON =
  /\b[ap]\.?\s?m\b|afternoon|evening|tarde|noche|noite|nachmittag|abend|soir|après-midi|pomeriggio|sera/i
const PARTS_OF_HOUR = /\bhalf\b|quarter|\bhalb\b|viertel|\bmedia\b|cuarto|demie|\bquart|mezz[ao]|\bmeia\b/i
/** In German, half of an hour is counted towards the next one. */
const HALF = /\bhalb\b/i

/** Values that say the same: times are written in several ways. */
function spellings(value: string, text: string, translation: string): ReadonlySet<string> {
  const values = new Set([value])
  const [hours = '', minutes] = value.split(':')
  const hour = Number(hours)
  if (!Number.isInteger(hour) || hour > 24) return values
  if (minutes === '00') values.add(hours)
  if (minutes === undefined) {
    values.add(`${hour}:00`)
    if (HALF.test(text) !== HALF.test(translation)) values.add(String(HALF.test(text) ? hour - 1 : hour + 1))
    if (PARTS_OF_HOUR.test(text))
      for (const time of [`${hour}:15`, `${hour}:30`, `${hour - 1}:45`, `${hour - 1}:30`]) values.add(time)
  }
  if (AFTERNOON.test(text) || AFTERNOON.test(translation))
    for (const time of [...values]) {
      const [early = '', rest] = time.split(':')
      values.add(`${(Number(early) + 12) % 24}${rest === undefined ? '' : `:${rest}`}`)
    }
  return values
}
