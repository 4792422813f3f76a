import type { Clock } from '../../core/clock.ts'
import type { Offer } from './offer.ts'

/** How long an answer is good (ms): a service that learns a language shows it soon. */
const GOOD_MS = 60_000

/** What the service can do, asked for once a minute at most however many ask here. */
export class OfferCache {
  readonly #ask: () => Promise<Offer>
  readonly #clock: Clock
  #known: Promise<Offer> | undefined
  #askedAt = 0

  constructor(ask: () => Promise<Offer>, clock: Clock) {
    this.#ask = ask
    this.#clock = clock
  }

  /** Rejects with what the service's client says when it does not answer; the next one asks anew. */
  get(): Promise<Offer> {
    if (this.#known && this.#clock.now() - this.#askedAt < GOOD_MS) return this.#known
    this.#askedAt = this.#clock.now()
    const asked = this.#ask()
    this.#known = asked
    asked.catch(() => {
      if (this.#known === asked) this.#known = undefined
    })
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

/** Whether `voice` is one that speaks `language`. */
export function offersVoice(offer: Offer | undefined, voice: string, language: string): boolean {
  return offer?.voices.some(({ id, language: own }) => id === voice && own === language) ?? false
}
