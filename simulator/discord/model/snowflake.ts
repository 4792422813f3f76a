import { randomInt } from 'node:crypto'
import type { WallClock } from '../../../src/common/wall-clock.ts'

/** Start of 2015, the epoch of Discord's ids (Discord: Snowflakes). */
const EPOCH_MS = 1_420_070_400_000

/** Creates ids that increase with time and never repeat. */
export class Snowflakes {
  readonly #now: WallClock
  /** Machine number: two worlds of the same millisecond have different ids. */
  readonly #machine = BigInt(randomInt(1024)) << 12n
  #last = 0n

  constructor(now: WallClock) {
    this.#now = now
  }

  next(): string {
    const floor = (BigInt(Math.max(0, Math.floor(this.#now()) - EPOCH_MS)) << 22n) | this.#machine
    this.#last = floor > this.#last ? floor : this.#last + 1n
    return String(this.#last)
  }
}

/** Creation time of an id, in milliseconds since 1970. */
export function madeAt(snowflake: string): number {
  return Number(BigInt(snowflake) >> 22n) + EPOCH_MS
}

export function isSnowflake(value: unknown): value is string {
  return typeof value === 'string' && /^[1-9]\d{0,19}$/.test(value) && BigInt(value) < 1n << 64n
}

/** Returns which of `shards` connections receives the events of a guild (Discord: Sharding). */
export function shardOf(guildId: string, shards: number): number {
  return Number((BigInt(guildId) >> 22n) % BigInt(shards))
}
