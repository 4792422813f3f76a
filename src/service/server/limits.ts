import { connectionsFor, SERVER_LIMITS } from '../../net/server-limits.ts'
import type { ServiceSettings } from './settings.ts'

function limitsOf({ admitLagMs, maxSessions }: ServiceSettings) {
  return {
    ...SERVER_LIMITS,
    maxConnections: connectionsFor(maxSessions),
    // One bridge opens many sessions.
    connectionsPerAddress: 256,
    /** Delay of timers above which new sessions are rejected (ms). Delays of results have their own limit (`admitLagMs`). */
    maxEventLoopLagMs: 2_000,
    /** Time without audio after which a session ends (ms). A bridge sends silence as audio too. */
    idleTimeoutMs: 60_000,
    /** Time without text after which a session ends (ms): a chat pauses for longer than a call. */
    textIdleTimeoutMs: 300_000,
    /** Lag of results at which the client is told that they are falling behind (ms). */
    warnLagMs: 2 * admitLagMs,
    /** Lag of results at which a session ends (ms). */
    endLagMs: 15 * admitLagMs,
    /** Queued audio per session (ms), for speech that a client replays after an outage. */
    maxBacklogMs: 40_000,
    /** Size of a `write_stream` payload (bytes). */
    maxFragmentBytes: 512 * 1024,
    /** Length of a `text` payload (characters). */
    maxTextLength: 2_000,
    /** Queued texts per session. */
    maxWaitingTexts: 100,
    /** Consecutive failed fragments or texts after which a session ends. */
    maxBadFragments: 50,
    /** Unread data per client before its session ends (bytes). */
    maxUnreadBytes: 4 * 1024 * 1024,
    /** Size of the file of a batch job (bytes). */
    maxFileBytes: 32 * 1024 * 1024,
    /** Duration of an audio file (ms). */
    maxFileMs: 600_000,
    /** Text of a batch job (characters). */
    maxFileTextLength: 20_000,
    /** Batch jobs, counted from the complete request to the last byte of the response. Uploads before that can use as much memory again. */
    maxBatchJobs: 4,
    /** Batch jobs processed at the same time; the other cores are left to live sessions. */
    batchWorkers: 1,
    /** Time to receive the request of a batch job (ms). */
    uploadTimeoutMs: 60_000,
    /** Time for a whole batch job (ms): half of the longest file. */
    batchTimeoutMs: 300_000,
  }
}

/** Limits of the service, besides those of its settings. */
export type ServiceLimits = Readonly<ReturnType<typeof limitsOf>>

/** Settings and limits as one: what bounds a session or a batch job. */
export type BoundSettings = ServiceSettings & ServiceLimits

/** Adds the limits to the settings. `changed` replaces some of them, for tests. */
export function boundSettings(
  settings: ServiceSettings,
  changed: Partial<ServiceLimits> = {},
): BoundSettings {
  return { ...settings, ...limitsOf(settings), ...changed }
}
