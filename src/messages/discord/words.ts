import { type Tongue, tongueOf } from '../locale.ts'
import type { AnswerWords } from './answer-words.ts'
import type { CommandWords } from './command-words.ts'
import { GERMAN_COMMANDS } from './words-de.ts'
import { ENGLISH_COMMANDS } from './words-en.ts'
import { SPANISH_COMMANDS } from './words-es.ts'
import { FRENCH_COMMANDS } from './words-fr.ts'
import { ITALIAN_COMMANDS } from './words-it.ts'
import { PORTUGUESE_COMMANDS } from './words-pt.ts'

/** All texts of the commands, in one language. A missing text is a compile-time error. */
export interface Words {
  readonly commands: CommandWords
  readonly answers: AnswerWords
}

/** Texts by language. */
export const WORDS: Readonly<Record<Tongue, Words>> = {
  en: ENGLISH_COMMANDS,
  es: SPANISH_COMMANDS,
  fr: FRENCH_COMMANDS,
  de: GERMAN_COMMANDS,
  it: ITALIAN_COMMANDS,
  pt: PORTUGUESE_COMMANDS,
}

/** Returns the replies for a client with `locale`. */
export function answersFor(locale: string): AnswerWords {
  return WORDS[tongueOf(locale)].answers
}
