import type { Clock } from '../../../common/clock.ts'
import { KeyedRateLimiter, type Rate } from '../../../common/rate-limit.ts'

const USER: Rate = { burst: 5, perSecond: 1 / 3 }
const GUILD: Rate = { burst: 20, perSecond: 2 }
/** Discord requests choices at each keystroke. */
const TYPING: Rate = { burst: 20, perSecond: 4 }

/** Rate limits of commands per user and per guild, and of autocompletion per user. */
export class CommandLimits {
  readonly #users: KeyedRateLimiter
  readonly #guilds: KeyedRateLimiter
  readonly #typing: KeyedRateLimiter

  constructor(clock: Clock) {
    this.#users = new KeyedRateLimiter(clock, USER)
    this.#guilds = new KeyedRateLimiter(clock, GUILD)
    this.#typing = new KeyedRateLimiter(clock, TYPING)
  }

  /** Returns the whole seconds to wait before the next command. 0: allowed and counted. */
  command(userId: string, guildId: string): number {
    if (!this.#users.take(userId)) return seconds(this.#users.waitMs(userId))
    return this.#guilds.take(guildId) ? 0 : seconds(this.#guilds.waitMs(guildId))
  }

  /** Returns whether another autocompletion is allowed. */
  typing(userId: string): boolean {
    return this.#typing.take(userId)
  }
}

/** A rejected command waits at least a second. Ignores rounding errors. */
function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000 - 1e-9))
}
