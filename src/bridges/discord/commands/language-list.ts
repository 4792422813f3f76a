import { type Clock, setTimer } from '../../../common/clock.ts'
import { type LanguageId, languageId, sameLanguage } from '../../../common/language.ts'
import type { Logger } from '../../../common/log.ts'

/** A list is used for this long, then refreshed in the background (ms). */
const FRESH_MS = 300_000
/** Delay before retrying a service that did not answer (ms). */
const RETRY_MS = 15_000

/** Cache of the service's languages. While the service is unavailable, the last list is used. */
export class LanguageList {
  readonly #offer: LanguageOffer
  readonly #clock: Clock
  readonly #log: Logger
  #known: readonly OfferedLanguage[] | undefined
  #askAgainAt = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined

  constructor(offer: LanguageOffer, { clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#offer = offer
    this.#clock = clock
    this.#log = log
  }

  /** Returns the newest known list. Without one, waits up to `waitMs` and may return undefined. Never rejects. */
  async get(waitMs: number): Promise<readonly OfferedLanguage[] | undefined> {
    if (this.#clock.now() >= this.#askAgainAt) this.#asking ??= this.#ask()
    if (this.#known || !this.#asking) return this.#known
    const late = Promise.withResolvers<void>()
    using _timer = setTimer(this.#clock, waitMs, late.resolve)
    await Promise.race([this.#asking, late.promise])
    return this.#known
  }

  /** Maps a guessed language to one of the service: itself, another region of the same language, or unchanged. */
  nearest(language: LanguageId): LanguageId {
    const known = this.#known ?? []
    if (known.some(({ id }) => id === language)) return language
    const near = known.filter(({ id }) => sameLanguage(id, language))
    return (near.find(({ heard }) => heard) ?? near[0])?.id ?? language
  }

  async #ask(): Promise<void> {
    try {
      const list = (await this.#offer()).flatMap(spelt)
      // An empty list comes from a service that is not ready, so a previous list is kept.
      if (list.length > 0) this.#known = list
      this.#askAgainAt = this.#clock.now() + (list.length > 0 ? FRESH_MS : RETRY_MS)
    } catch (error) {
      this.#askAgainAt = this.#clock.now() + RETRY_MS
      this.#log.warn({ reason: String(error) }, 'service languages not fetched')
    } finally {
      this.#asking = undefined
    }
  }
}

/** Normalizes the ID; drops entries with an invalid ID. */
function spelt(offered: OfferedLanguage): OfferedLanguage[] {
  try {
    const id = languageId(offered.id)
    return [id === offered.id ? offered : { ...offered, id }]
  } catch {
    return []
  }
}

/** Capabilities of the translation service for one language. */
export interface OfferedLanguage {
  readonly id: LanguageId
  /** Speech recognition is available. */
  readonly heard: boolean
  /** A voice is available. */
  readonly spoken: boolean
}

/** Fetches the service's current languages. May reject. */
export type LanguageOffer = () => Promise<readonly OfferedLanguage[]>
