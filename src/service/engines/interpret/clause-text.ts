import { type LanguageId, primaryLanguage } from '../../../common/language.ts'
import { endsSentence } from './words.ts'

/** Where a clause stands. */
export interface ClausePlace {
  /** As recognized. */
  readonly source: string
  /** Its sentence begins, or ends, with it. */
  readonly first: boolean
  readonly last: boolean
  readonly to: LanguageId
}

/**
 * Fits the translation of a clause into its sentence: translators write each text as a sentence of its own, with a capital and
 * a period.
 */
export function fitted(translation: string, { source, first, last, to }: ClausePlace): string {
  let text = translation.trim()
  const inside = !last && !endsSentence(source)
  if (inside) text = text.replace(/(?<![.…])\.$/u, '')
  if (inside && /[,;:]$/.test(source.trim()) && /[\p{L}\p{N}]$/u.test(text)) text += source.trim().at(-1)
  // German nouns have their capital wherever they stand, as have names of all languages and words in capitals.
  if (first || primaryLanguage(to) === 'de' || /^\p{Lu}/u.test(source.trim())) return text
  return /^[¿¡"'“«(]*\p{Lu}(?:\p{Ll}|\s|$)/u.test(text)
    ? text.replace(/\p{Lu}/u, letter => letter.toLowerCase())
    : text
}
