import { tongueOf } from '../locale.ts'
import { CHANNEL_WORDS } from './all.ts'

/**
 * Texts that the bot posts in a channel's chat unprompted, in one language. Values are escaped for Discord's Markdown.
 */
export interface ChannelWords {
  /** The listening notice: user who started it, channel, that nothing is kept, and how to opt out. */
  readonly listening: (by: string, channel: string) => string
  /** The same for newcomers. */
  readonly newcomers: (names: string, channel: string) => string
  /** Replaces the notices above after the end. */
  readonly ended: (channel: string) => string
  readonly kicked: string
  readonly lost: string
  readonly encryption: string
  readonly permissions: string
  readonly empty: string
  /** On a stage, a moderator must first allow the bot to speak. */
  readonly askedToSpeak: string
  readonly muted: string
  readonly deafened: string
  readonly noSpeak: string
  /** People are speaking, but no audio arrives. */
  readonly noAudio: string
  readonly full: string
  readonly serviceAway: string
  /** Replaces it after the recovery. */
  readonly serviceBack: string
  /** A microphone picks up its own speaker. */
  readonly headphones: (name: string) => string
  /** Name of the captions thread. */
  readonly thread: string
  /** Name of a phone without a name. */
  readonly telephone: string
}

/** Returns the texts for a Discord locale or one of our languages. */
export function channelWords(language: string): ChannelWords {
  return CHANNEL_WORDS[tongueOf(language)]
}
