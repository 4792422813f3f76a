import type { Clock } from '../../../core/clock.ts'
import { TokenBucket } from '../../../core/token-bucket.ts'

/** How much may come at once, and then in a second. */
interface Rate {
  readonly burst: number
  readonly perSecond: number
}

const RATES = {
  user: { burst: 5, perSecond: 1 / 3 },
  guild: { burst: 20, perSecond: 2 },
  /** Choices are asked for at every key that somebody presses. */
  typing: { burst: 20, perSecond: 4 },
} as const satisfies Record<string, Rate>

/** Users and guilds that are counted; those who asked longest ago are forgotten first, whose bucket is full again. */
const MOST = 10_000

/** Limits how much each user and each guild may ask. */
export class CommandLimits {
  readonly #clock: Clock
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Seconds to wait before one more command; 0: it may come now, and has been counted. */
  command(userId: string, guildId: string): number {
    return this.#take(`user ${userId}`, RATES.user) || this.#take(`guild ${guildId}`, RATES.guild)
  }

  /** Whether choices may be asked for once more. */
  typing(userId: string): boolean {
    return this.#take(`typing ${userId}`, RATES.typing) === 0
  }

  #take(key: string, { burst, perSecond }: Rate): number {
    const now = this.#clock.now()
    const bucket = this.#buckets.get(key) ?? new TokenBucket(perSecond, burst, now)
    this.#buckets.delete(key)
    if (this.#buckets.size >= MOST) this.#buckets.delete(this.#buckets.keys().next().value!)
    this.#buckets.set(key, bucket)
    return bucket.take(now) >= 0 ? 0 : Math.max(1, Math.ceil((1 - bucket.left(now)) / perSecond))
  }
}
