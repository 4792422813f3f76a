import { z } from 'zod'
import { isLanguageId, type LanguageId } from '../../common/language.ts'
import { errorFields, type Logger } from '../../common/log.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import { KeptEntries, type KeptEntriesOptions } from '../../core/calls/kept-entries.ts'
import { CALLER_LANGUAGE_DAYS } from '../../core/calls/settings.ts'
import type { Fleet } from '../../core/model/fleet.ts'
import type { CallerLanguages } from './number-routing.ts'
import { PHONE_NUMBER } from './remembered-languages.ts'

const DAY_MS = 86_400_000

export interface FleetLanguagesOptions extends KeptEntriesOptions {
  /** Days without a call before a choice is deleted. */
  readonly days?: number | undefined
}

/**
 * The languages that callers chose in their last calls, at any node of a fleet. Only keyed digests of their numbers are
 * kept.
 */
export class FleetLanguages implements CallerLanguages, Disposable {
  readonly #fleet: Fleet
  readonly #days: number
  readonly #wallClock: WallClock
  readonly #log: Logger
  readonly #callers: KeptEntries<string>

  constructor(fleet: Fleet, { days = CALLER_LANGUAGE_DAYS, ...options }: FleetLanguagesOptions) {
    this.#fleet = fleet
    this.#days = days
    this.#wallClock = options.wallClock
    this.#log = options.log
    this.#callers = new KeptEntries(fleet, 'caller languages', z.string().refine(isLanguageId), options)
    this.#callers.start()
  }

  /** Resolves to undefined also while the fleet is unavailable: the caller gets the menu again. */
  async find(caller: string): Promise<LanguageId | undefined> {
    if (!PHONE_NUMBER.test(caller)) return undefined
    try {
      return await this.#callers.get(this.#fleet.digest(caller))
    } catch (error) {
      this.#log.warn(errorFields(error), 'language of a caller cannot be read')
      return undefined
    }
  }

  remember(caller: string, language: LanguageId): void {
    if (!PHONE_NUMBER.test(caller)) return
    const until = this.#wallClock() + this.#days * DAY_MS
    this.#callers
      .put(this.#fleet.digest(caller), language, until)
      .catch((error: unknown) => this.#log.warn(errorFields(error), 'language of a caller cannot be stored'))
  }

  [Symbol.dispose](): void {
    this.#callers[Symbol.dispose]()
  }
}
