import type { Interpreters } from './channel-interpreter.ts'
import type { CommandCounters, LinkCounters } from './counters.ts'

/**
 * State of the bot's login. `waiting`: another process has the bot. `refused`: Discord rejected it permanently, and
 * retries have stopped.
 */
export type LoginState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'trying'; readonly attempts: number }
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly why: Refused }
  | { readonly kind: 'closed' }

/**
 * The token is invalid or revoked; the application lacks a requested intent; the bot is in too many guilds for one
 * connection; this protocol version is no longer supported.
 */
export type Refused = 'token' | 'intents' | 'shards' | 'version'

/** The bridge as exposed by `app.discord`. It uses no types of Discord's library, which is optional. */
export interface DiscordBridge {
  /** Sums over all channels. */
  readonly counters: LinkCounters
  readonly interpreters: Interpreters
  readonly state: LoginState
  /** Resolves once: true when the bot is logged in, false when it never will be. Never rejects. */
  readonly settled: Promise<boolean>
  /**
   * Settles after the first check of the command's registration, including any registration it needed. Never rejects.
   */
  readonly registered: Promise<void>
  /** Counts of commands and their outcomes. */
  readonly commands: CommandCounters
  /** Number of guilds the bot is in. */
  readonly guilds: number
  /** Says goodbye in every channel, leaves them and logs out. Idempotent. */
  close(): Promise<void>
}
