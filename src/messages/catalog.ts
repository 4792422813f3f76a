import type { Locale } from 'discord.js'
import type { ChannelWords, Words as CommandWords } from './discord/types.ts'
import type { CaptionTexts } from './en/captions.ts'
import type { ErrorTexts } from './en/errors.ts'
import type { ListenTexts } from './en/listen.ts'
import type { TalkTexts } from './en/talk.ts'
import type { Words as NoticeWords } from './notices/types.ts'

/**
 * All texts for people in one language: a folder beside this file, with a line in `catalogs.ts`. Those of pages have
 * the shape of the English ones, so a missing text is a compile-time error.
 */
export interface Catalog {
  /** Discord's locales for the language (Discord: Locales); none for English, its default. */
  readonly discordLocales: readonly `${Locale}`[]
  /** Sentences spoken in calls. */
  readonly notices: NoticeWords
  /** What the bot posts in Discord unprompted. */
  readonly channel: ChannelWords
  /** Commands in Discord and the replies to them. */
  readonly commands: CommandWords
  /** The talk page. */
  readonly talk: TalkTexts
  /** The captions page. */
  readonly captions: CaptionTexts
  /** The page for listening. */
  readonly listen: ListenTexts
  /** Errors shown as a page. */
  readonly errors: ErrorTexts
}
