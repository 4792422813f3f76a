import { after, type Clock } from '../../common/clock.ts'

/** Time before the end of a session at which it should be replaced, long enough to find a pause (ms). */
const BEFORE_MS = 60_000
/** Maximum share of the lifetime for that: not in the first three quarters. */
const SHARE = 0.25
/** Maximum delay of a timer (ms): 24 days. */
const LONGEST_MS = 2 ** 31 - 1

/** Returns the lifetime of a session as announced by `connected` (ms), or undefined. */
export function toldLifeMs(parameters: unknown): number | undefined {
  if (typeof parameters !== 'object' || parameters === null || !('expiresInMs' in parameters))
    return undefined
  const { expiresInMs } = parameters
  return typeof expiresInMs === 'number' && expiresInMs > 0 ? expiresInMs : undefined
}

/**
 * Calls `renew` once, shortly before a session of `lifeMs` that starts now ends, with the remaining time. The caller
 * disposes the timer.
 */
export function beforeEnd(clock: Clock, lifeMs: number, renew: (leftMs: number) => void): Disposable {
  const leftMs = Math.min(BEFORE_MS, lifeMs * SHARE)
  return after(clock, Math.min(LONGEST_MS, lifeMs - leftMs), () => renew(leftMs))
}
