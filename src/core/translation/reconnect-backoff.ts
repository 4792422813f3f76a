import { type BackoffPolicy, backoffMs } from '../../common/backoff.ts'
import type { BridgeError } from '../../common/errors.ts'

/** Retries after a lost connection. A service that has recovered is detected within the maximum delay. */
const RECONNECT: BackoffPolicy = { firstMs: 100, maxMs: 1_000 }
/**
 * Retries after the service rejected a session. The maximum is shorter than the replay buffer, so that speech between two
 * attempts is not lost.
 */
const REFUSED: BackoffPolicy = { firstMs: 1_000, maxMs: 30_000, jitter: 0.2 }

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
