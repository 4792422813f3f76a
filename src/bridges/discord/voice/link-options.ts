import type { DiscordGatewayAdapterCreator } from '@discordjs/voice'
import type { BackoffPolicy } from '../../../common/backoff.ts'
import type { Clock } from '../../../common/clock.ts'
import type { Logger } from '../../../common/log.ts'
import type { LinkCounters } from '../counters.ts'
import type { ConnectionOptions, ConnectionWatcher, PatchedConnection } from './patches/patched-connection.ts'

/**
 * Reaction when the voice server closes the socket. For every code except 4014, the library itself would reconnect
 * immediately and endlessly.
 *
 * - `rejoin`: request to join again, with increasing delays and a limited number of attempts.
 * - `wait`: caused by someone else. The main gateway reports which: moved (it names another server) or kicked.
 * - `once`: one more attempt; the answer is unlikely to change.
 * - `refuse`: the server asks us not to reconnect.
 */
export type CloseAnswer = 'rejoin' | 'wait' | 'once' | 'refuse'

/** From Discord's table "Voice Close Event Codes". Other codes count as temporary failures. */
const ANSWERS: Readonly<Record<number, CloseAnswer>> = {
  // Server not found; unknown protocol; unknown encryption mode; end-to-end encryption required.
  4011: 'once',
  4012: 'once',
  4016: 'once',
  4017: 'once',
  // Disconnected: kicked, moved, the channel deleted, or the main gateway's session dropped.
  4014: 'wait',
  // Call terminated: the channel was deleted, or moved to another voice server.
  4022: 'wait',
  // Disconnected for exceeding the rate limit.
  4021: 'refuse',
}

/** Codes whose repetition means a refusal, not an outage. */
const DEFINITE = new Set([4004, 4011, 4012, 4016, 4021, 4022])

export function answerTo(code: number): CloseAnswer {
  return ANSWERS[code] ?? 'rejoin'
}

/**
 * Returns the reason to report when `code` was the last one: the code itself, `encryption`, or undefined for an outage.
 */
export function refusalOf(code: number | undefined): number | 'encryption' | undefined {
  if (code === 4017) return 'encryption'
  return code !== undefined && DEFINITE.has(code) ? code : undefined
}

/** Timeouts and limits of a voice link. */
export interface LinkLimits {
  /** From the join request to the ready state (ms). */
  readonly joinTimeoutMs: number
  /** Maximum number of attempts without a stable connection in between. */
  readonly attemptsMost: number
  /** A connection is stable when it has been ready for this long (ms). */
  readonly stableMs: number
  /** After a disconnect by someone else, time for the main gateway to report the new place (ms). */
  readonly waitMs: number
  /** Maximum wait while the main gateway or the guild is unavailable and the voice connection is lost too (ms). */
  readonly outageMs: number
  /** Time without a voice server before the link requests one (ms). */
  readonly endpointTimeoutMs: number
  /** UDP is considered blocked if speaking is announced for this long without a packet (ms). */
  readonly deafMs: number
  /** In [0, 1). */
  readonly random: () => number
}

export const DEFAULT_LINK_LIMITS: LinkLimits = {
  joinTimeoutMs: 10_000,
  attemptsMost: 5,
  stableMs: 30_000,
  waitMs: 5_000,
  outageMs: 300_000,
  endpointTimeoutMs: 15_000,
  deafMs: 10_000,
  random: Math.random,
}

/** Interval between requests to an unavailable main gateway (ms). Its return is also an event. */
export const GATEWAY_RETRY_MS = 1_000

/** A new place reported this long before a disconnect belongs to it (ms). */
export const SAME_MOMENT_MS = 3_000

/** Retries of joining a voice channel. */
export const REJOIN: BackoffPolicy = { firstMs: 500, maxMs: 15_000 }

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
  PatchedConnection,
  'ready' | 'rejoin' | 'play' | 'setSpeaking' | 'check' | 'destroy'
>

export interface VoiceLinkOptions {
  readonly guildId: string
  readonly channelId: string
  /** Access to the main gateway. */
  readonly adapterCreator: DiscordGatewayAdapterCreator
  /** Another part of the program has that access now. Default: never. */
  readonly replaced?: () => boolean
  /** The bot's user ID. */
  readonly userId: string
  /** End-to-end encryption. Default true; false only for tests and stage channels. */
  readonly dave?: boolean
  readonly clock: Clock
  readonly log: Logger
  readonly counters: LinkCounters
  readonly watcher?: VoiceLinkWatcher
  readonly limits?: Partial<LinkLimits>
  /** Creates a connection; default: with the library. For tests. */
  readonly connect?: (options: ConnectionOptions, watcher: ConnectionWatcher) => LinkConnection
  /** False: the main gateway is unavailable and cannot report our voice state. Default: available. */
  readonly gatewayUp?: () => boolean
}
