import { catalogFor } from '../catalogs.ts'
import type { AnswerWords, ChannelWords, CommandWords } from './types.ts'

/** Returns the texts for a Discord locale or one of our languages. */
export function channelMessagesFor(language: string): ChannelWords {
  return catalogFor(language).channel
}

/** Returns the replies for a client with `locale`. */
export function repliesFor(locale: string): AnswerWords {
  return catalogFor(locale).commands.answers
}

/** Returns the texts of commands and their options for a client with `locale`. */
export function commandMessagesFor(locale: string): CommandWords {
  return catalogFor(locale).commands.commands
}
