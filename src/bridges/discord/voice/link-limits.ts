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

const FIRST_MS = 500
const MAX_MS = 15_000

/** Returns the delay after `attempts` failed attempts (ms); half of it is jitter. `random` is in [0, 1). */
export function rejoinDelayMs(attempts: number, random: number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** Math.max(0, attempts - 1)) * (0.5 + random / 2)
}
