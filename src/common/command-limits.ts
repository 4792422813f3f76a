import type { Clock } from './clock.ts'
import { TokenBucket } from './token-bucket.ts'

/** Burst size and sustained rate. */
interface CommandRate {
  readonly burst: number
  readonly perSecond: number
}

const RATES = {
  user: { burst: 5, perSecond: 1 / 3 },
  guild: { burst: 20, perSecond: 2 },
  /** Discord requests choices at each keystroke. */
  typing: { burst: 20, perSecond: 4 },
} as const satisfies Record<string, CommandRate>

/** Maximum number of buckets. The least recently used one, which is full again, is dropped first. */
const MOST = 10_000

/** Rate limits of commands per user and per guild. */
export class CommandLimits {
  readonly #clock: Clock
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Seconds to wait before the next command. 0: allowed and counted. */
  command(userId: string, guildId: string): number {
    return this.#take(`user ${userId}`, RATES.user) || this.#take(`guild ${guildId}`, RATES.guild)
  }

  /** Returns whether another autocompletion is allowed. */
  typing(userId: string): boolean {
    return this.#take(`typing ${userId}`, RATES.typing) === 0
  }

  #take(key: string, { burst, perSecond }: CommandRate): number {
    const now = this.#clock.now()
    const bucket = this.#buckets.get(key) ?? new TokenBucket(perSecond, burst, now)
    this.#buckets.delete(key)
    if (this.#buckets.size >= MOST) this.#buckets.delete(this.#buckets.keys().next().value!)
    this.#buckets.set(key, bucket)
    return bucket.take(now) >= 0 ? 0 : Math.max(1, Math.ceil((1 - bucket.left(now)) / perSecond))
  }
}
