/**
 * Exponential back-off with jitter, for everything that is retried: connections to the service and to Discord, requests
 * of carriers and engines, and the connections of the pages. Runs in browsers too.
 */

/** Growth of the delay between attempts. */
export interface BackoffPolicy {
  /** Delay before the first retry (ms). Each further one doubles it. */
  readonly firstMs: number
  /** Maximum delay (ms). */
  readonly maxMs: number
  /**
   * Random share of the delay, from 0 to 1; 0.5 by default. With 0.5, a delay of 8 s takes between 4 and 8 s, so that
   * hundreds of legs do not reconnect at the same moment.
   */
  readonly jitter?: number
}

/**
 * Returns the delay before retry number `retry` (ms). The first retry is 1; number 0 is not a retry and has no delay.
 * `random` is in [0, 1).
 */
export function backoffMs(
  retry: number,
  { firstMs, maxMs, jitter = 0.5 }: BackoffPolicy,
  random: number = Math.random(),
): number {
  if (retry <= 0) return 0
  // The exponent is limited, since a server can be unavailable for thousands of attempts.
  const delay = Math.min(maxMs, firstMs * 2 ** Math.min(retry - 1, 30))
  return jittered(delay, jitter, random)
}

/** Returns `ms`, shortened by up to the share `jitter` (0 to 1) at random. `random` is in [0, 1). */
export function jittered(ms: number, jitter: number, random: number = Math.random()): number {
  return ms * (1 - jitter + jitter * random)
}
