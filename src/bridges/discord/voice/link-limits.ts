/** How patient a voice link is. */
export interface LinkLimits {
  /** From asking to be let in to being ready (ms). */
  readonly joinTimeoutMs: number
  /** Attempts without having been ready for `stableMs` in between. */
  readonly attemptsMost: number
  /** Ready for this long, earlier trouble is forgotten (ms). */
  readonly stableMs: number
  /** How long after being thrown out the main gateway may take to say where to (ms). */
  readonly waitMs: number
  /** The main gateway or the guild is unavailable, and voice is lost too: how long a link waits for them (ms). */
  readonly outageMs: number
  /** How long a guild may be without a voice server before we ask (ms). */
  readonly endpointTimeoutMs: number
  /** Speech is announced for this long and none comes: UDP does not get through (ms). */
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

/** Between two attempts to ask a main gateway that is unavailable; its return is also an event (ms). */
export const GATEWAY_RETRY_MS = 1_000

/** Being told where we are so shortly before being thrown out belongs to it (ms). */
export const SAME_MOMENT_MS = 3_000

const FIRST_MS = 500
const MAX_MS = 15_000

/** How long to wait after `attempts` attempts in vain (ms); half of it is jitter. `random` is in [0, 1). */
export function rejoinDelayMs(attempts: number, random: number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** Math.max(0, attempts - 1)) * (0.5 + random / 2)
}
