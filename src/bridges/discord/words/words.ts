import type { AnswerWords } from './answer-words.ts'
import type { CommandWords } from './command-words.ts'
import { GERMAN } from './de.ts'
import { ENGLISH } from './en.ts'
import { SPANISH } from './es.ts'
import { FRENCH } from './fr.ts'
import { ITALIAN } from './it.ts'
import { type Tongue, tongueOf } from './locale.ts'
import { PORTUGUESE } from './pt.ts'

/** All texts of the commands, in one language. A missing text is a compile-time error. */
export interface Words {
  readonly commands: CommandWords
  readonly answers: AnswerWords
}

/** Texts by language. */
export const WORDS: Readonly<Record<Tongue, Words>> = {
  en: ENGLISH,
  es: SPANISH,
  fr: FRENCH,
  de: GERMAN,
  it: ITALIAN,
  pt: PORTUGUESE,
}

/** Returns the replies for a client with `locale`. */
export function answersFor(locale: string): AnswerWords {
  return WORDS[tongueOf(locale)].answers
}
