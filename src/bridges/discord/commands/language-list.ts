import { after, type Clock } from '../../../core/clock.ts'
import { type LanguageId, languageId, sameLanguage } from '../../../core/languages.ts'
import type { Log } from '../../../core/log.ts'
import type { LanguageOffer, OfferedLanguage } from './language-offer.ts'

/** A list is taken as it is for so long; then it is fetched again behind the scenes (ms). */
const FRESH_MS = 300_000
/** A service that did not answer is asked again after so long (ms). */
const RETRY_MS = 15_000

/** The service's languages, remembered: while it is away the last list it gave still holds. */
export class LanguageList {
  readonly #offer: LanguageOffer
  readonly #clock: Clock
  readonly #log: Log
  #known: readonly OfferedLanguage[] | undefined
  #askAgainAt = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined

  constructor(offer: LanguageOffer, { clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#offer = offer
    this.#clock = clock
    this.#log = log
  }

  /** The newest list that is known. Without any it is waited for, at most `waitMs`; undefined: there is none. Never rejects. */
  async get(waitMs: number): Promise<readonly OfferedLanguage[] | undefined> {
    if (this.#clock.now() >= this.#askAgainAt) this.#asking ??= this.#ask()
    if (this.#known || !this.#asking) return this.#known
    const late = Promise.withResolvers<void>()
    using _timer = after(this.#clock, waitMs, late.resolve)
    await Promise.race([this.#asking, late.promise])
    return this.#known
  }

  /** The service's language for one that was only guessed: itself, else the same of another region, else as it is. */
  nearest(language: LanguageId): LanguageId {
    const known = this.#known ?? []
    if (known.some(({ id }) => id === language)) return language
    const near = known.filter(({ id }) => sameLanguage(id, language))
    return (near.find(({ heard }) => heard) ?? near[0])?.id ?? language
  }

  async #ask(): Promise<void> {
    try {
      const list = (await this.#offer()).flatMap(spelt)
      // An empty list is a service that is not ready, and no reason to forget a better one.
      if (list.length > 0) this.#known = list
      this.#askAgainAt = this.#clock.now() + (list.length > 0 ? FRESH_MS : RETRY_MS)
    } catch (error) {
      this.#askAgainAt = this.#clock.now() + RETRY_MS
      this.#log.warn({ reason: String(error) }, 'languages of the service could not be fetched')
    } finally {
      this.#asking = undefined
    }
  }
}

/** In our spelling; what is no language is left out. */
function spelt(offered: OfferedLanguage): OfferedLanguage[] {
  try {
    const id = languageId(offered.id)
    return [id === offered.id ? offered : { ...offered, id }]
  } catch {
    return []
  }
}
