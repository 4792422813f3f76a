import type { DiscordGatewayAdapterCreator } from '@discordjs/voice'
import type { Clock } from '../../../core/clock.ts'
import type { Log } from '../../../core/log.ts'
import type { LinkCounters } from './link-counters.ts'
import type { LinkLimits } from './link-limits.ts'
import type { ConnectionTerms, ConnectionWatcher, MendedConnection } from './mended-connection.ts'

export type VoiceLinkState = 'joining' | 'ready' | 'reconnecting' | 'ended'

/** Who is told what becomes of a link. Called in the link's own events; must not throw. */
export interface VoiceLinkWatcher {
  state?(state: VoiceLinkState): void
  /** The voice server says that this user begins to speak; they may be one to whom nobody listens. */
  speaking?(userId: string): void
  /** Somebody moved the bot; the link goes on there. */
  moved?(channelId: string): void
  /** Speaking was announced for 10 s, and not one packet came: UDP does not get through. Once a link. */
  deaf?(): void
}

/** What a link does with a connection. */
export type LinkConnection = Pick<
  MendedConnection,
  'ready' | 'rejoin' | 'play' | 'setSpeaking' | 'check' | 'destroy'
>

export interface VoiceLinkOptions {
  readonly guildId: string
  readonly channelId: string
  /** Of discord.js: `guild.voiceAdapterCreator`. */
  readonly adapterCreator: DiscordGatewayAdapterCreator
  /** The bot's user id: two bots of one process in one guild have a connection each. */
  readonly group: string
  /** End-to-end encryption. Default true; false only for tests and stage channels. */
  readonly dave?: boolean
  readonly clock: Clock
  readonly log: Log
  readonly counters: LinkCounters
  readonly watcher?: VoiceLinkWatcher
  readonly limits?: Partial<LinkLimits>
  /** Makes a connection; the library's unless a test brings others. */
  readonly connect?: (terms: ConnectionTerms, watcher: ConnectionWatcher) => LinkConnection
  /** False: the main gateway is away, and cannot say what becomes of us. Default: it is there. */
  readonly gatewayUp?: () => boolean
}
