import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../../common/clock.ts'
import { FailureLimiter } from '../../../common/rate-limit.ts'
import { keyDigest } from '../../../common/secrets.ts'
import { addressPrefix } from '../../../net/client-address.ts'
import { RollingUsage, UsageLedger } from '../../usage-ledger.ts'
import { ServiceError } from '../errors.ts'
import { type KeyFigures, KeyUsage } from './key-holder.ts'
import type { KeyEntry, KeyLimits } from './key-store.ts'

/** A key as configured: bare, or with a name for the log and limits. */
export type ConfiguredKey = string | ({ readonly name: string; readonly key: string } & KeyLimits)

export interface ApiKeysOptions {
  /** Keys of the configuration, valid as long as the service runs. */
  readonly apiKeys: readonly ConfiguredKey[]
  /** Accepts every client without a key. */
  readonly open: boolean
  /** Maximum number of wrong keys per address and minute. */
  readonly maxAttemptsPerMinute: number
}

/** Minimum length of a configured key that counts as unguessable (characters). */
const UNGUESSABLE_LENGTH = 24

interface KnownKey {
  readonly digest: Buffer
  readonly holder: KeyUsage
  /** Too random to guess. */
  readonly unguessable: boolean
}

/**
 * The API keys of the service, from the configuration and the key file. Keys are stored as digests and compared in
 * constant time, always with all of them, so that the response time reveals neither a key's content nor its position.
 *
 * After too many wrong or missing keys from one address, the service stops checking keys from there for a while.
 * Unguessable keys are still accepted: guessing cannot find them, and clients that share an address with a guesser
 * (behind a proxy, or on this machine) are not locked out.
 */
export class ApiKeys {
  readonly #ledger: UsageLedger
  readonly #configured: readonly KnownKey[]
  readonly #everybody: KeyUsage | undefined
  readonly #attempts: FailureLimiter
  /** Keys from the file, by digest. */
  #filed = new Map<string, KnownKey>()

  /** Usage per key is counted in `ledger`. */
  constructor(
    { apiKeys, open, maxAttemptsPerMinute }: ApiKeysOptions,
    clock: Clock,
    ledger = new UsageLedger(clock, 0),
  ) {
    this.#ledger = ledger
    // Not in the ledger: an open service has no limits per key.
    const usage = () => new RollingUsage(clock, 0)
    this.#everybody = open ? new KeyUsage('open', {}, usage()) : undefined
    this.#attempts = new FailureLimiter(clock, maxAttemptsPerMinute)
    this.#configured = apiKeys.map((entry, index) => {
      const { name, key, ...limits } =
        typeof entry === 'string' ? { name: `key ${index + 1}`, key: entry } : entry
      return {
        digest: keyDigest(key),
        holder: new KeyUsage(name, limits, limited(limits) ? ledger.of(`settings: ${name}`) : usage()),
        unguessable: key.length >= UNGUESSABLE_LENGTH,
      }
    })
  }

  /** The use of each key. Of keys of one name, in the settings and in the file, that of the first. */
  get figures(): KeyFigures[] {
    if (this.#everybody) return [this.#everybody.figures]
    const figures = [...this.#configured, ...this.#filed.values()].map(({ holder }) => holder.figures)
    return Array.from(Map.groupBy(figures, ({ name }) => name).values(), ([first]) => first!)
  }

  /**
   * Returns the holder of the key `given`, sent from `address`. Throws `key_missing` or `key_wrong`, naming `place` as
   * the location of the key, or `too_many_attempts`.
   */
  holderOf(given: unknown, place: string, address: string | undefined): KeyUsage {
    if (this.#everybody) return this.#everybody
    const group = addressPrefix(address)
    const waitMs = this.#attempts.waitMs(group)
    if (typeof given !== 'string' || given === '') {
      if (waitMs > 0) throw tooMany(waitMs)
      this.#attempts.failed(group)
      throw new ServiceError('key_missing', `an API key is required in ${place}`)
    }
    const asked = keyDigest(given)
    let holder: KeyUsage | undefined
    for (const known of [...this.#configured, ...this.#filed.values()])
      if (timingSafeEqual(known.digest, asked) && (waitMs === 0 || known.unguessable)) holder = known.holder
    if (holder) return holder
    if (waitMs > 0) throw tooMany(waitMs)
    this.#attempts.failed(group)
    throw new ServiceError('key_wrong', `the API key in ${place} is not valid`)
  }

  /** Replaces the keys of the file. Removed keys are revoked; the others keep their sessions. */
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
          holder: new KeyUsage(name, limits, this.#ledger.of(sha256)),
          unguessable: true,
        })
        return [sha256, known ?? made()]
      }),
    )
    for (const { holder } of before.values()) holder.revoke()
  }
}

/**
 * True if the usage of a configured key has to survive a restart. It is counted by the name of the key: the digest of a
 * secret chosen by a person does not belong in a file.
 */
function limited({ minutesPerDay }: KeyLimits): boolean {
  return minutesPerDay !== undefined
}

function tooMany(waitMs: number): ServiceError {
  const seconds = Math.ceil(waitMs / 1000)
  return new ServiceError(
    'too_many_attempts',
    `too many requests without a valid API key from this address: try again in ${seconds} s`,
    { retryAfterMs: waitMs },
  )
}
