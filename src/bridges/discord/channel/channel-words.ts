import { tongueOf } from '../words/locale.ts'
import { CHANNEL_WORDS } from './words/all.ts'

/** What is written in a channel's chat without being asked, in one language. Values were made harmless; Discord's Markdown. */
export interface ChannelWords {
  /** Who began to listen, to what, that nothing is kept, and how to say no. */
  readonly listening: (by: string, channel: string) => string
  /** The same for those who come later. */
  readonly newcomers: (names: string, channel: string) => string
  /** Instead of the above, once nobody listens any more. */
  readonly ended: (channel: string) => string
  readonly kicked: string
  readonly lost: string
  readonly encryption: string
  readonly permissions: string
  readonly empty: string
  /** Speaking is not allowed on this stage until a moderator lets the bot. */
  readonly askedToSpeak: string
  readonly muted: string
  readonly deafened: string
  readonly noSpeak: string
  /** Voices are announced, and no audio comes. */
  readonly noAudio: string
  readonly full: string
  readonly serviceAway: string
  /** Instead of it, once it is there again. */
  readonly serviceBack: string
  /** Somebody's loudspeaker is heard by their microphone. */
  readonly headphones: (name: string) => string
  /** Name of a thread of captions. */
  readonly thread: string
  /** How a telephone is called that has no name. */
  readonly telephone: string
}

/** The words for a Discord locale or a language of ours. */
export function channelWords(language: string): ChannelWords {
  return CHANNEL_WORDS[tongueOf(language)]
}
