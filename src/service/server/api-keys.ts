import { createHash, timingSafeEqual } from 'node:crypto'
import { ServiceError } from './service-error.ts'

/** A key as configured: bare, or with a name for the log. */
export type ConfiguredKey = string | { readonly name: string; readonly key: string }

/**
 * The API keys of the service. Kept as digests; compared in constant time and always with all of them,
 * so that neither a key's content nor its place shows in how long a refusal takes.
 */
export class ApiKeys {
  readonly #keys: readonly { name: string; digest: Buffer }[]
  readonly #open: boolean

  /** `open`: nobody needs a key. */
  constructor(keys: readonly ConfiguredKey[], open: boolean) {
    this.#open = open
    this.#keys = keys.map((entry, index) =>
      typeof entry === 'string'
        ? { name: `key ${index + 1}`, digest: digest(entry) }
        : { name: entry.name, digest: digest(entry.key) },
    )
  }

  /** The name of the key `given`. Throws `key_missing` or `key_wrong`, saying that it belongs in `place`. */
  nameOf(given: unknown, place: string): string {
    if (this.#open) return 'open'
    if (typeof given !== 'string' || given === '')
      throw new ServiceError('key_missing', `an API key is needed in ${place}`)
    const asked = digest(given)
    let name: string | undefined
    for (const key of this.#keys) if (timingSafeEqual(key.digest, asked)) name = key.name
    if (name === undefined) throw new ServiceError('key_wrong', `the API key in ${place} is not valid`)
    return name
  }
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
