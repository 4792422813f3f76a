import { createHash, timingSafeEqual } from 'node:crypto'
import { AttemptLimit } from '../../common/attempt-limit.ts'
import type { Clock } from '../../common/clock.ts'
import { TokenBucket } from '../../common/token-bucket.ts'
import { addressGroup } from '../../net/address-group.ts'
import { ControlError } from './control-error.ts'
import type { ControlSettings } from './settings.ts'

/** Burst of requests per key: those of 10 s. */
const BURST_SECONDS = 10
const LEAST_BURST = 20

interface KnownKey {
  readonly name: string
  readonly digest: Buffer
  readonly rate: TokenBucket
}

/**
 * The keys of the control API, stored as digests. A key is compared with all of them in constant time. After too many
 * wrong keys, an address must wait; valid keys are still accepted, because keys cannot be guessed.
 */
export class BearerKeys {
  readonly #clock: Clock
  readonly #known: readonly KnownKey[]
  readonly #attempts: AttemptLimit

  constructor({ keys, requestsPerMinute, maxAttemptsPerMinute }: ControlSettings, clock: Clock) {
    this.#clock = clock
    this.#attempts = new AttemptLimit(clock, maxAttemptsPerMinute)
    const perSecond = requestsPerMinute / 60
    const burst = Math.max(LEAST_BURST, perSecond * BURST_SECONDS)
    this.#known = keys.map(({ name, key }) => ({
      name,
      digest: digestOf(key),
      rate: new TokenBucket(perSecond, burst, clock.now()),
    }))
  }

  /**
   * Returns the name of the key in the `authorization` header of a request from `address`. Throws `key_missing`,
   * `key_wrong`, `too_many_attempts` or `too_many_requests`.
   */
  holderOf(authorization: string | undefined, address: string): string {
    const given = /^Bearer ([^\s]{1,1024})$/i.exec(authorization?.trim() ?? '')?.[1]
    if (given === undefined) throw missing()
    const asked = digestOf(given)
    let holder: KnownKey | undefined
    for (const known of this.#known) if (timingSafeEqual(known.digest, asked)) holder = known
    if (!holder) throw this.refused(address)
    if (holder.rate.take(this.#clock.now()) >= 0) return holder.name
    throw new ControlError('too_many_requests', undefined, { 'retry-after': '1' })
  }

  /** Counts a wrong key or link of `address` and returns its error. */
  refused(address: string): ControlError {
    const group = addressGroup(address)
    const waitMs = this.#attempts.waitMs(group)
    if (waitMs > 0)
      return new ControlError('too_many_attempts', undefined, {
        'retry-after': `${Math.ceil(waitMs / 1000)}`,
      })
    this.#attempts.failed(group)
    return new ControlError('key_wrong', undefined, { 'www-authenticate': 'Bearer error="invalid_token"' })
  }
}

function missing(): ControlError {
  return new ControlError('key_missing', undefined, { 'www-authenticate': 'Bearer' })
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
