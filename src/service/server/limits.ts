import { connectionsFor, SERVER_LIMITS, type ServerLimits } from '../../net/server-limits.ts'
import type { ServiceSettings } from './settings.ts'

/** Limits of the service, besides those of its settings. */
export interface ServiceLimits extends ServerLimits {
  /** Delay of timers above which new sessions are rejected (ms). */
  readonly maxEventLoopLagMs: number
  /** Time without audio after which a session ends (ms). */
  readonly idleTimeoutMs: number
  /** Time without text after which a session ends (ms). */
  readonly textIdleTimeoutMs: number
  /** Lag of results at which the client is told that they are falling behind (ms). */
  readonly warnLagMs: number
  /** Lag of results at which a session ends (ms). */
  readonly endLagMs: number
  /** Queued audio per session (ms). */
  readonly maxBacklogMs: number
  /** Size of a `write_stream` payload (bytes). */
  readonly maxFragmentBytes: number
  /** Length of a `text` payload (characters). */
  readonly maxTextLength: number
  /** Queued texts per session. */
  readonly maxWaitingTexts: number
  /** Consecutive failed fragments or texts after which a session ends. */
  readonly maxBadFragments: number
  /** Unread data per client before its session ends (bytes). */
  readonly maxUnreadBytes: number
  /** Size of the file of a batch job (bytes). */
  readonly maxFileBytes: number
  /** Duration of an audio file (ms). */
  readonly maxFileMs: number
  /** Text of a batch job (characters). */
  readonly maxFileTextLength: number
  /** Batch jobs, counted from the complete request to the last byte of the response. Uploads before that can use as much memory again. */
  readonly maxBatchJobs: number
  /** Batch jobs processed at the same time. */
  readonly batchWorkers: number
  /** Time to receive the request of a batch job (ms). */
  readonly uploadTimeoutMs: number
  /** Time for a whole batch job (ms). */
  readonly batchTimeoutMs: number
}

/** Settings and limits as one: what bounds a session or a batch job. */
export type BoundSettings = ServiceSettings & ServiceLimits

/** Adds the limits to the settings. `changed` replaces some of them, for tests. */
export function boundSettings(
  settings: ServiceSettings,
  changed: Partial<ServiceLimits> = {},
): BoundSettings {
  const { admitLagMs, maxSessions } = settings
  return {
    ...settings,
    ...SERVER_LIMITS,
    maxConnections: connectionsFor(maxSessions),
    // One bridge opens many sessions.
    connectionsPerAddress: 256,
    // Delays of results have their own limit (`admitLagMs`).
    maxEventLoopLagMs: 2_000,
    // A bridge sends silence as audio too.
    idleTimeoutMs: 60_000,
    // A chat pauses for longer than a call, in which silence is audio too.
    textIdleTimeoutMs: 300_000,
    warnLagMs: 2 * admitLagMs,
    endLagMs: 15 * admitLagMs,
    // Speech that a client replays after an outage.
    maxBacklogMs: 40_000,
    maxFragmentBytes: 512 * 1024,
    maxTextLength: 2_000,
    maxWaitingTexts: 100,
    maxBadFragments: 50,
    maxUnreadBytes: 4 * 1024 * 1024,
    maxFileBytes: 32 * 1024 * 1024,
    maxFileMs: 600_000,
    maxFileTextLength: 20_000,
    maxBatchJobs: 4,
    // Leaves the other cores to live sessions.
    batchWorkers: 1,
    uploadTimeoutMs: 60_000,
    // Half of the longest file.
    batchTimeoutMs: 300_000,
    ...changed,
  }
}
