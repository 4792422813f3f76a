import { after, type Clock } from '../../core/clock.ts'

/** A session is to be replaced this long before its end: time for a pause to come (ms). */
const BEFORE_MS = 60_000
/** … but not in the first three quarters of its life. */
const SHARE = 0.25
/** The longest life that a timer measures (ms): 24 days. */
const LONGEST_MS = 2 ** 31 - 1

/** How long the service lets this session live, as `connected` says, in ms; undefined where it does not say. */
export function toldLifeMs(parameters: unknown): number | undefined {
  if (typeof parameters !== 'object' || parameters === null || !('expiresInMs' in parameters))
    return undefined
  const { expiresInMs } = parameters
  return typeof expiresInMs === 'number' && expiresInMs > 0 ? expiresInMs : undefined
}

/**
 * Calls `renew` once in time before a session of `lifeMs`, beginning now, is over; with the time that is left then.
 * Whoever gets the timer disposes it.
 */
export function beforeEnd(clock: Clock, lifeMs: number, renew: (leftMs: number) => void): Disposable {
  const leftMs = Math.min(BEFORE_MS, lifeMs * SHARE)
  return after(clock, Math.min(LONGEST_MS, lifeMs - leftMs), () => renew(leftMs))
}
