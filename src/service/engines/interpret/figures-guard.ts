import type { LanguageId } from '../../../common/language.ts'
import { type Figure, figuresIn } from './number-words.ts'

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
  const lost: string[] = []
  for (const figure of wanted) {
    const at = left.findIndex(value => spellings(figure.value, text).includes(value))
    if (at >= 0) left.splice(at, 1)
    else if (!figure.weak) lost.push(figure.text)
  }
  return lost
}

/** All digits in order: a telephone number or a year can be written as one number or as several. */
function digitsOf(figures: readonly Figure[]): string {
  return figures
    .map(({ value }) => value)
    .join('')
    .replace(/\D/g, '')
}

/** Values that say the same: afternoon hours are written in two ways. */
function spellings(value: string, text: string): string[] {
  if (
    !/\b[ap]\.?\s?m\b|afternoon|evening|tarde|noche|noite|nachmittag|abend|soir|après-midi|pomeriggio|sera/i.test(
      text,
    )
  )
    return [value]
  const [hours = '', minutes] = value.split(':')
  const tail = minutes === undefined ? '' : `:${minutes}`
  const hour = Number(hours)
  if (!Number.isInteger(hour) || hour > 24) return [value]
  return [value, `${(hour + 12) % 24}${tail}`]
}
