/** How long to wait before opening attempt `attempt` (1 is the first try, at once), in ms; `random` is in [0, 1). */
export function backoffMs(attempt: number, random: number): number {
  if (attempt <= 1) return 0
  const longest = Math.min(MAX_MS, FIRST_MS * 2 ** (attempt - 2))
  // Half of it is jitter, so that hundreds of legs do not come back in one moment.
  return longest * (0.5 + random / 2)
}

/** How long to wait after refusal number `refusals` (from 1) in a row of a service that is there and says no (ms). */
export function refusalBackoffMs(refusals: number, random: number): number {
  const longest = Math.min(MAX_REFUSED_MS, FIRST_REFUSED_MS * 2 ** (refusals - 1))
  return longest * (0.8 + random / 5)
}

const FIRST_MS = 100
/** A service that is back is found within this time. */
const MAX_MS = 1_000
const FIRST_REFUSED_MS = 1_000
/** Shorter than the replay ring: what is said between two attempts is not lost. */
const MAX_REFUSED_MS = 30_000
