import { timingSafeEqual } from 'node:crypto'
import { addressGroup } from '../../core/address-group.ts'
import { AttemptLimit } from '../../core/attempt-limit.ts'
import type { Clock } from '../../core/clock.ts'
import { AudioUsage } from './audio-usage.ts'
import { keyDigest } from './key-digest.ts'
import type { KeyEntry, KeyLimits } from './key-entry.ts'
import { KeyHolder } from './key-holder.ts'
import { ServiceError } from './service-error.ts'
import { UsageLedger } from './usage-ledger.ts'

/** A key as configured: bare, or with a name for the log and limits. */
export type ConfiguredKey = string | ({ readonly name: string; readonly key: string } & KeyLimits)

export interface ApiKeysOptions {
  /** Keys of the configuration, good as long as the service runs. */
  readonly apiKeys: readonly ConfiguredKey[]
  /** Nobody needs a key. */
  readonly open: boolean
  /** Wrong keys that may come from one address in a minute. */
  readonly maxAttemptsPerMinute: number
}

/** From this length a configured key counts as one that cannot be guessed (characters). */
const UNGUESSABLE_LENGTH = 32

interface KnownKey {
  readonly digest: Buffer
  readonly holder: KeyHolder
  /** Random enough that trying is hopeless. */
  readonly unguessable: boolean
}

/**
 * The API keys of the service: those of the configuration and those of the key file. Kept as digests; compared in
 * constant time and always with all of them, so that neither a key's content nor its place shows in how long a refusal
 * takes.
 *
 * Too many wrong or missing keys from one address, and for a while keys from there are not tried any more. Keys that cannot be
 * guessed are let in all the same: trying helps nobody with them, and whoever shares an address with a guesser (behind
 * a proxy, or on this machine) is not shut out by them.
 */
export class ApiKeys {
  readonly #ledger: UsageLedger
  readonly #configured: readonly KnownKey[]
  readonly #everybody: KeyHolder | undefined
  readonly #attempts: AttemptLimit
  /** Keys of the file, by digest. */
  #filed = new Map<string, KnownKey>()

  /** What keys use is counted in `ledger`. */
  constructor(
    { apiKeys, open, maxAttemptsPerMinute }: ApiKeysOptions,
    clock: Clock,
    ledger = new UsageLedger(clock, 0),
  ) {
    this.#ledger = ledger
    // Not in the ledger: nobody's limits are to be kept.
    const usage = () => new AudioUsage(clock, 0)
    this.#everybody = open ? new KeyHolder('open', {}, usage()) : undefined
    this.#attempts = new AttemptLimit(clock, maxAttemptsPerMinute)
    this.#configured = apiKeys.map((entry, index) => {
      const { name, key, ...limits } =
        typeof entry === 'string' ? { name: `key ${index + 1}`, key: entry } : entry
      return {
        digest: keyDigest(key),
        holder: new KeyHolder(name, limits, limited(limits) ? ledger.of(`settings: ${name}`) : usage()),
        unguessable: key.length >= UNGUESSABLE_LENGTH,
      }
    })
  }

  /**
   * Who has the key `given`, which came from `address`. Throws `key_missing`, `key_wrong`, saying that it belongs in
   * `place`, or `too_many_attempts`.
   */
  holderOf(given: unknown, place: string, address: string | undefined): KeyHolder {
    if (this.#everybody) return this.#everybody
    const group = addressGroup(address)
    const waitMs = this.#attempts.waitMs(group)
    if (typeof given !== 'string' || given === '') {
      if (waitMs > 0) throw tooMany(waitMs)
      this.#attempts.failed(group)
      throw new ServiceError('key_missing', `an API key is needed in ${place}`)
    }
    const asked = keyDigest(given)
    let holder: KeyHolder | undefined
    for (const known of [...this.#configured, ...this.#filed.values()])
      if (timingSafeEqual(known.digest, asked) && (waitMs === 0 || known.unguessable)) holder = known.holder
    if (holder) return holder
    if (waitMs > 0) throw tooMany(waitMs)
    this.#attempts.failed(group)
    throw new ServiceError('key_wrong', `the API key in ${place} is not valid`)
  }

  /** Puts the keys of the file in force: those that are gone are revoked, those that stay keep their sessions. */
  keep(entries: readonly KeyEntry[]): void {
    const before = this.#filed
    this.#filed = new Map(
      entries.map(({ sha256, name, sessions, minutesPerDay }) => {
        const limits = { sessions, minutesPerDay }
        const known = before.get(sha256)
        before.delete(sha256)
        known?.holder.limit(limits)
        const digest = Buffer.from(sha256, 'hex')
        const made = () => ({
          digest,
          holder: new KeyHolder(name, limits, this.#ledger.of(sha256)),
          unguessable: true,
        })
        return [sha256, known ?? made()]
      }),
    )
    for (const { holder } of before.values()) holder.revoke()
  }
}

/**
 * Whether it has to be known tomorrow what a key of the settings has used. It is counted by its name: the digest of a
 * secret that somebody made up belongs into no file.
 */
function limited({ minutesPerDay }: KeyLimits): boolean {
  return minutesPerDay !== undefined
}

function tooMany(waitMs: number): ServiceError {
  const seconds = Math.ceil(waitMs / 1000)
  return new ServiceError(
    'too_many_attempts',
    `too many requests without a valid API key came from this address, try again in ${seconds} s`,
    { retryAfterMs: waitMs },
  )
}
