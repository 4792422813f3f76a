import type { Clock } from '../../../common/clock.ts'
import type { Logger } from '../../../common/log.ts'
import type { WallClock } from '../../../common/wall-clock.ts'
import type {
  CaptionSettings,
  ChannelInterpreter,
  Interpreters,
  OutputLanguages,
  Preferences,
} from '../channel-interpreter.ts'
import type { LanguageList } from './language-list.ts'

/** The operator's settings. */
export interface CommandSettings {
  /** Guilds where commands work; empty: every guild that invited the bot. */
  readonly guilds: readonly string[]
  /** Initial output of a channel. */
  readonly output: OutputLanguages
  readonly captions: CaptionSettings
  /** True if outbound calls are enabled. */
  readonly dials: boolean
  /** Roles that may start phone calls, in addition to members who manage the guild. */
  readonly dialRoles: readonly string[]
  /** Numbers to call for entering a code. */
  readonly phoneNumbers: readonly string[]
}

/** Limits guesses of room codes. */
export interface RoomCodeAttempts {
  mayTry(userId: string): boolean
  wrong(userId: string): void
}

/** Services that commands work with. */
export interface CommandServices {
  readonly interpreters: Interpreters
  /** IDs of the guilds that the bot is in. */
  readonly guildIds: () => Iterable<string>
  readonly preferences: Preferences
  readonly languages: LanguageList
  /**
   * Locales of users' clients. Discord reports them only with commands, so they are kept, in memory only, as the best
   * guess of the user's language.
   */
  readonly locales: Map<string, string>
  readonly roomCodeLimiter: RoomCodeAttempts
  readonly settings: CommandSettings
  /** The user who started each interpreter. */
  readonly starters: WeakMap<ChannelInterpreter, string>
  readonly clock: Clock
  readonly wallClock: WallClock
  readonly log: Logger
}
