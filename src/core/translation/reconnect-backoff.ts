import { type BackoffPolicy, backoffMs } from '../../common/backoff.ts'
import type { BridgeError } from '../../common/errors.ts'

// All delays before another connection to the service that grow with each failure. A session whose connection is lost
// retries by itself; after several failures the circuit breaker lets one session at a time probe the service for all of
// them. Fixed delays are where they are used: places in `session-places.ts`, standby connections in
// `connection-pair.ts`, the way back from a fallback in `failover-*.ts`.

/** Retries of one session after a lost connection, while the circuit is closed. */
const RECONNECT: BackoffPolicy = { firstMs: 100, maxMs: 1_000 }
/**
 * Retries after the service rejected a session. The maximum is shorter than the replay buffer, so that speech between two
 * attempts is not lost.
 */
const REFUSED: BackoffPolicy = { firstMs: 1_000, maxMs: 30_000, jitter: 0.2 }
/** Time between two probes while the circuit is open: 300 to 500 ms at first. */
export const PROBE: BackoffPolicy = { firstMs: 500, maxMs: 6_250, jitter: 0.4 }
/** Time between two probes of a service that refuses the key: somebody has to act, and services limit wrong keys. */
export const REFUSED_PROBE: BackoffPolicy = { firstMs: 1_000, maxMs: 30_000, jitter: 0.2 }

/** Delays between the attempts of one session to connect. */
export class ReconnectBackoff {
  readonly #random: () => number
  /** Consecutive refusals; reset by a connection that lasts. */
  #refusals = 0

  /** `random` in [0, 1). */
  constructor(random: () => number) {
    this.#random = random
  }

  /** After a connection that lasted, `attempt` is 1: the next one follows at once, regardless of the error. */
  waitMs(attempt: number, { backOff }: BridgeError): number {
    const random = this.#random()
    if (attempt === 1) this.#refusals = 0
    else if (backOff === 'slow') return backoffMs(++this.#refusals, REFUSED, random)
    return backoffMs(attempt - 1, RECONNECT, random)
  }

  reset(): void {
    this.#refusals = 0
  }
}
