import type { Clock } from '../../core/clock.ts'
import type { Offer } from './offer.ts'
import type { Voices } from './wire.ts'

/** How long an answer is good (ms): a service that learns a language shows it soon. */
const GOOD_MS = 60_000

/** What the service can do, asked for once a minute at most however many ask here. */
export class OfferCache {
  readonly #ask: () => Promise<Offer>
  readonly #clock: Clock
  #asked: Promise<Offer> | undefined
  #known: Offer | undefined
  #askedAt = 0

  constructor(ask: () => Promise<Offer>, clock: Clock) {
    this.#ask = ask
    this.#clock = clock
  }

  /** What it answered last. */
  get known(): Offer | undefined {
    return this.#known
  }

  /** Rejects with what the service's client says when it does not answer; the next one asks anew. */
  get(): Promise<Offer> {
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

/** Whether the service understands `speaks` and has voices for the others; without a list everything may be tried. */
export function offers(offer: Offer | undefined, speaks: string | undefined, ...hears: string[]): boolean {
  if (!offer) return true
  const has = (id: string, what: 'heard' | 'spoken') =>
    offer.languages.some(language => language.id === id && language[what])
  return (
    (speaks === undefined || has(speaks, 'heard')) &&
    // Who hears what they speak needs no voice for it.
    hears.every(id => id === speaks || has(id, 'spoken'))
  )
}

/** Of `voices`, by the language they speak, those that the service has. */
export function offeredVoices(offer: Offer | undefined, voices: Voices): Voices {
  const has = (wanted: string, of: string) =>
    offer?.voices.some(({ id, language }) => id === wanted && language === of) ?? false
  return Object.fromEntries(Object.entries(voices).filter(([language, voice]) => has(voice, language)))
}
