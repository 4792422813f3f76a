import type { NoticeName } from '../core/announcer.ts'
import type { LanguageId } from '../core/languages.ts'
import { GERMAN } from './words/de.ts'
import { ENGLISH } from './words/en.ts'
import { SPANISH } from './words/es.ts'
import { FRENCH } from './words/fr.ts'
import { ITALIAN } from './words/it.ts'
import { PORTUGUESE } from './words/pt.ts'

/**
 * What the system says in one language. `{place}` is filled from the values of a notice; a part in `[…]` is left out
 * when a value in it is missing.
 */
export interface Words {
  readonly notices: Readonly<Record<NoticeName, string>>
  /** Names of the keys of a telephone: digits, star, hash. */
  readonly keys: Readonly<Record<string, string>>
}

const LANGUAGES: Readonly<Record<string, Words>> = {
  en: ENGLISH,
  es: SPANISH,
  fr: FRENCH,
  de: GERMAN,
  it: ITALIAN,
  pt: PORTUGUESE,
}

/** The language whose words are translated where a language has none here. */
export const FALLBACK_LANGUAGE: LanguageId = 'en-us'

/** The words of a language whatever its region; undefined where there are none. */
export function wordsOf(language: LanguageId): Words | undefined {
  const primary = language.slice(0, language.indexOf('-'))
  return Object.hasOwn(LANGUAGES, primary) ? LANGUAGES[primary] : undefined
}

/** The sentence of a notice with its values; keys of the telephone are spelt out (`*1`: “star one”). */
export function sentence(
  words: Words,
  notice: NoticeName,
  values: Readonly<Record<string, string>> = {},
): string {
  const fill = (text: string) =>
    text.replace(/\{(\w+)\}/g, (_place, name: string) => spoken(values[name] ?? '', words))
  return fill(
    words.notices[notice].replace(/ ?\[([^\][]*)\]/g, (_all, part: string) =>
      [...part.matchAll(/\{(\w+)\}/g)].every(([, name]) => values[name ?? '']) ? ` ${part}` : '',
    ),
  )
    .replace(/\s+/g, ' ')
    .trim()
}

/** A value as it is said: a sequence of keys by their names, unless it is a plain number. */
function spoken(value: string, { keys }: Words): string {
  if (!/^[0-9*#]{1,12}$/.test(value) || /^[1-9][0-9]+$/.test(value)) return value
  return [...value].map(key => keys[key] ?? key).join(' ')
}
