import type { Clock } from '../../common/clock.ts'
import type { Voices } from './protocol.ts'
import type { ServiceCatalog } from './service-catalog.ts'

/** Lifetime of a cached response (ms), short so that new languages appear soon. */
const GOOD_MS = 60_000

/** Caches the capabilities of the service, which is queried at most once a minute. */
export class OfferCache {
  readonly #ask: () => Promise<ServiceCatalog>
  readonly #clock: Clock
  #asked: Promise<ServiceCatalog> | undefined
  #known: ServiceCatalog | undefined
  #askedAt = 0

  constructor(ask: () => Promise<ServiceCatalog>, clock: Clock) {
    this.#ask = ask
    this.#clock = clock
  }

  /** The last response. */
  get known(): ServiceCatalog | undefined {
    return this.#known
  }

  /** Rejects with the client’s error if the service does not respond; the next call queries it again. */
  get(): Promise<ServiceCatalog> {
    if (this.#asked && this.#clock.now() - this.#askedAt < GOOD_MS) return this.#asked
    this.#askedAt = this.#clock.now()
    const asked = this.#ask()
    this.#asked = asked
    asked.then(
      known => {
        this.#known = known
      },
      () => {
        if (this.#asked === asked) this.#asked = undefined
      },
    )
    return asked
  }
}

/**
 * Returns true if the service recognizes `speaks` and has voices for `hears`. Without a list, every language is
 * allowed.
 */
export function offers(
  offer: ServiceCatalog | undefined,
  speaks: string | undefined,
  ...hears: string[]
): boolean {
  if (!offer) return true
  const has = (id: string, what: 'heard' | 'spoken') =>
    offer.languages.some(language => language.id === id && language[what])
  return (
    (speaks === undefined || has(speaks, 'heard')) &&
    // Listeners need no voice for the language they speak.
    hears.every(id => id === speaks || has(id, 'spoken'))
  )
}

/** Returns the entries of `voices` (by language) that the service has. */
export function offeredVoices(offer: ServiceCatalog | undefined, voices: Voices): Voices {
  const has = (wanted: string, of: string) =>
    offer?.voices.some(({ id, language }) => id === wanted && language === of) ?? false
  return Object.fromEntries(Object.entries(voices).filter(([language, voice]) => has(voice, language)))
}
