import type { Clock } from '../../../core/clock.ts'
import type { Log } from '../../../core/log.ts'
import type { WallClock } from '../../../core/wall-clock.ts'
import type {
  CaptionSettings,
  ChannelInterpreter,
  ChannelOutput,
  Interpreters,
  Preferences,
} from '../channel-interpreter.ts'
import type { LanguageList } from './language-list.ts'
import type { SeenLocales } from './seen-locales.ts'

/** What the operator decided. */
export interface CommandSettings {
  /** Only in these; empty: in every guild that invited the bot. */
  readonly guilds: readonly string[]
  /** How a channel begins. */
  readonly output: ChannelOutput
  readonly captions: CaptionSettings
  /** Whether telephones can be called at all. */
  readonly dials: boolean
  /** Members with one of these may have telephones called, beside those who manage the guild. */
  readonly dialRoles: readonly string[]
  /** Where codes can be keyed in. */
  readonly phoneNumbers: readonly string[]
}

/** Limits how often codes of rooms are guessed. */
export interface Guesses {
  mayTry(userId: string): boolean
  wrong(userId: string): void
}

/** What commands work on. */
export interface CommandWorld {
  readonly interpreters: Interpreters
  /** The guilds that the bot is in. */
  readonly guildIds: () => Iterable<string>
  readonly preferences: Preferences
  readonly languages: LanguageList
  readonly locales: SeenLocales
  readonly guesses: Guesses
  readonly settings: CommandSettings
  /** Who started what is running. */
  readonly starters: WeakMap<ChannelInterpreter, string>
  readonly clock: Clock
  readonly wallClock: WallClock
  readonly log: Log
}
