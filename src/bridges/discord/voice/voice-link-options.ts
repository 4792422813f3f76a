import type { DiscordGatewayAdapterCreator } from '@discordjs/voice'
import type { Clock } from '../../../common/clock.ts'
import type { Log } from '../../../common/log.ts'
import type { LinkCounters } from '../link-counters.ts'
import type { LinkLimits } from './link-limits.ts'
import type { ConnectionTerms, ConnectionWatcher, MendedConnection } from './patches/mended-connection.ts'

export type VoiceLinkState = 'joining' | 'ready' | 'reconnecting' | 'ended'

/** Events of a link. Handlers run inside the link's own events and must not throw. */
export interface VoiceLinkWatcher {
  state?(state: VoiceLinkState): void
  /** The voice server reports that this user started speaking; possibly a user without a listener. */
  speaking?(userId: string): void
  /** The bot was moved; the link continues in that channel. */
  moved?(channelId: string): void
  /** Speaking was announced for 10 s without a packet, so UDP is blocked. At most once per link. */
  deaf?(): void
}

/** The operations of a connection that a link uses. */
export type LinkConnection = Pick<
  MendedConnection,
  'ready' | 'rejoin' | 'play' | 'setSpeaking' | 'check' | 'destroy'
>

export interface VoiceLinkOptions {
  readonly guildId: string
  readonly channelId: string
  /** From discord.js: `guild.voiceAdapterCreator`. */
  readonly adapterCreator: DiscordGatewayAdapterCreator
  /** The bot's user ID. Two bots of one process in the same guild have separate connections. */
  readonly group: string
  /** End-to-end encryption. Default true; false only for tests and stage channels. */
  readonly dave?: boolean
  readonly clock: Clock
  readonly log: Log
  readonly counters: LinkCounters
  readonly watcher?: VoiceLinkWatcher
  readonly limits?: Partial<LinkLimits>
  /** Creates a connection; default: with the library. For tests. */
  readonly connect?: (terms: ConnectionTerms, watcher: ConnectionWatcher) => LinkConnection
  /** False: the main gateway is unavailable and cannot report our voice state. Default: available. */
  readonly gatewayUp?: () => boolean
}
