import type { Locale } from 'discord.js'
import type { CaptionTexts } from './en/captions.ts'
import type { DiscordTexts } from './en/discord.ts'
import type { ErrorTexts } from './en/errors.ts'
import type { ListenTexts } from './en/listen.ts'
import type { TalkTexts } from './en/talk.ts'
import type { NoticeTexts } from './notices.ts'

/**
 * All texts for people in one language: a folder beside this file, with a line in `catalogs.ts`. They have the
 * shape of the English ones, so a missing text is a compile-time error.
 */
export interface Catalog {
  /** Discord's locales for the language (Discord: Locales); none for English, its default. */
  readonly discordLocales: readonly `${Locale}`[]
  /** Sentences spoken in calls. */
  readonly notices: NoticeTexts
  /** What the bot posts in Discord, its commands and the replies to them. */
  readonly discord: DiscordTexts
  /** The talk page. */
  readonly talk: TalkTexts
  /** The captions page. */
  readonly captions: CaptionTexts
  /** The page for listening. */
  readonly listen: ListenTexts
  /** Errors shown as a page. */
  readonly errors: ErrorTexts
}
