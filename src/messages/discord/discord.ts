import { messagesFor, type UiLanguage } from '../locale.ts'
import { GERMAN_CHANNEL, GERMAN_COMMANDS } from './de.ts'
import { ENGLISH_CHANNEL, ENGLISH_COMMANDS } from './en.ts'
import { SPANISH_CHANNEL, SPANISH_COMMANDS } from './es.ts'
import { FRENCH_CHANNEL, FRENCH_COMMANDS } from './fr.ts'
import { ITALIAN_CHANNEL, ITALIAN_COMMANDS } from './it.ts'
import { PORTUGUESE_CHANNEL, PORTUGUESE_COMMANDS } from './pt.ts'
import type { AnswerWords, ChannelWords, CommandWords, Words } from './types.ts'

export const CHANNEL_WORDS: Readonly<Record<UiLanguage, ChannelWords>> = {
  en: ENGLISH_CHANNEL,
  es: SPANISH_CHANNEL,
  fr: FRENCH_CHANNEL,
  de: GERMAN_CHANNEL,
  it: ITALIAN_CHANNEL,
  pt: PORTUGUESE_CHANNEL,
}

/** Returns the texts for a Discord locale or one of our languages. */
export function channelMessagesFor(language: string): ChannelWords {
  return messagesFor(CHANNEL_WORDS, language)
}

/** Texts by language. */
export const WORDS: Readonly<Record<UiLanguage, Words>> = {
  en: ENGLISH_COMMANDS,
  es: SPANISH_COMMANDS,
  fr: FRENCH_COMMANDS,
  de: GERMAN_COMMANDS,
  it: ITALIAN_COMMANDS,
  pt: PORTUGUESE_COMMANDS,
}

/** Returns the replies for a client with `locale`. */
export function repliesFor(locale: string): AnswerWords {
  return messagesFor(WORDS, locale).answers
}

/** Returns the texts of commands and their options for a client with `locale`. */
export function commandMessagesFor(locale: string): CommandWords {
  return messagesFor(WORDS, locale).commands
}
