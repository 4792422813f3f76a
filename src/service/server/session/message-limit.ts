import type { Clock } from '../../../common/clock.ts'
import { TokenBucket } from '../../../common/rate-limit.ts'

/**
 * Messages per second of one connection, four times those of speech in pieces of 20 ms, and the burst: a replay of 30 s
 * in such pieces, as fast as possible.
 */
export const MESSAGES = { perSecond: 200, burst: 2_000 }

/**
 * The message limits of all connections. A limit belongs to the key and is lent to its connections, so that a client
 * gets no new burst by connecting again.
 */
export class MessageLimits {
  readonly #clock: Clock
  /** Limits that no connection uses, by holder of the key: never more than it had connections at the same time. */
  readonly #spare = new WeakMap<object, TokenBucket[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the fullest spare limit of `holder`, or a new one. */
  lend(holder: object): TokenBucket {
    const now = this.#clock.now()
    const spare = this.#spare.get(holder) ?? []
    spare.sort((a, b) => a.left(now) - b.left(now))
    return spare.pop() ?? new TokenBucket(MESSAGES.perSecond, MESSAGES.burst, now)
  }

  giveBack(holder: object, limit: TokenBucket): void {
    const spare = this.#spare.get(holder)
    if (spare) spare.push(limit)
    else this.#spare.set(holder, [limit])
  }
}
