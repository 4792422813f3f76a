import type { Interpreters } from './channel-interpreter.ts'
import type { CommandCounters } from './commands/command-counters.ts'
import type { LinkCounters } from './voice/link-counters.ts'

/** How it stands with the bot's login. `refused`: Discord will not have it as it is, so nothing is tried any more. */
export type LoginState =
  | { readonly kind: 'trying'; readonly attempts: number }
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly why: Refused }
  | { readonly kind: 'closed' }

/**
 * The token is none, or was withdrawn; an intent is asked for that the application does not have; the bot is in too many
 * guilds for one connection; this version of the protocol is no longer spoken.
 */
export type Refused = 'token' | 'intents' | 'shards' | 'version'

/** What `app.discord` shows of the bridge. It names no type of Discord's library, which not every installation has. */
export interface DiscordBridge {
  /** Of all channels together. */
  readonly counters: LinkCounters
  readonly interpreters: Interpreters
  /** How it stands with the login. */
  readonly state: LoginState
  /** Settles once: whether the bot is in, or never will be. Never rejects. */
  readonly settled: Promise<boolean>
  /** Settles when the command was looked at for the first time, and registered where it had to be. Never rejects. */
  readonly registered: Promise<void>
  /** What was asked for by commands, and what became of it. */
  readonly commands: CommandCounters
  /** Guilds the bot is in. */
  readonly guilds: number
  /** Says goodbye in every channel, leaves them, and logs out. Idempotent. */
  close(): Promise<void>
}
