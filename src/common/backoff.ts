/** Returns the delay before connection attempt `attempt` (ms); the first attempt (1) is immediate. `random` is in [0, 1). */
export function backoffMs(attempt: number, random: number): number {
  if (attempt <= 1) return 0
  const longest = Math.min(MAX_MS, FIRST_MS * 2 ** (attempt - 2))
  // Half of the delay is jitter, so that hundreds of legs do not reconnect at the same moment.
  return longest * (0.5 + random / 2)
}

/** Returns the delay after `refusals` consecutive refusals (from 1) of a service that is reachable (ms). */
export function refusalBackoffMs(refusals: number, random: number): number {
  const longest = Math.min(MAX_REFUSED_MS, FIRST_REFUSED_MS * 2 ** (refusals - 1))
  return longest * (0.8 + random / 5)
}

const FIRST_MS = 100
/** A service that has recovered is detected within this time. */
const MAX_MS = 1_000
const FIRST_REFUSED_MS = 1_000
/** Shorter than the replay buffer, so that speech between two attempts is not lost. */
const MAX_REFUSED_MS = 30_000
