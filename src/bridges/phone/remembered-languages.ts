import { z } from 'zod'
import { DAY_MS } from '../../common/durations.ts'
import { isLanguageId, type LanguageId } from '../../common/language.ts'
import { errorFields, type Logger } from '../../common/log.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import { KeptEntries, type KeptEntriesOptions } from '../../core/calls/kept-entries.ts'
import { CALLER_LANGUAGE_DAYS } from '../../core/calls/settings.ts'
import type { Fleet } from '../../core/model/fleet.ts'
import type { CallerLanguages } from './number-routing.ts'

/** Maximum number of callers; the least recent callers are removed first. */
const MOST = 100_000
/** Phone numbers of people, not a word for a withheld number. */
const PHONE_NUMBER = /^\+[1-9]\d{6,14}$/

export interface RememberedOptions extends KeptEntriesOptions {
  /** Days without a call before a choice is deleted. */
  readonly days?: number | undefined
  /** Keyed digest of a number. Default: that of the fleet. */
  readonly digest?: ((caller: string) => string) | undefined
}

/** The languages that callers chose in their last calls. Only keyed digests of their numbers are kept. */
export class RememberedLanguages implements CallerLanguages, Disposable {
  readonly #digest: (caller: string) => string
  readonly #days: number
  readonly #wallClock: WallClock
  readonly #log: Logger
  readonly #callers: KeptEntries<string>

  constructor(
    fleet: Fleet,
    { days = CALLER_LANGUAGE_DAYS, digest = caller => fleet.digest(caller), ...options }: RememberedOptions,
  ) {
    this.#digest = digest
    this.#days = days
    this.#wallClock = options.wallClock
    this.#log = options.log
    this.#callers = new KeptEntries(fleet, 'caller languages', z.string().refine(isLanguageId), {
      ...options,
      most: MOST,
    })
    this.#callers.start()
  }

  /** Resolves to undefined also while the fleet is unavailable: the caller gets the menu again. */
  async find(caller: string): Promise<LanguageId | undefined> {
    if (!PHONE_NUMBER.test(caller)) return undefined
    try {
      return await this.#callers.get(this.#digest(caller))
    } catch (error) {
      this.#log.warn(errorFields(error), 'language of a caller cannot be read')
      return undefined
    }
  }

  remember(caller: string, language: LanguageId): void {
    if (!PHONE_NUMBER.test(caller)) return
    const until = this.#wallClock() + this.#days * DAY_MS
    this.#callers
      .put(this.#digest(caller), language, until)
      .catch((error: unknown) => this.#log.warn(errorFields(error), 'language of a caller cannot be stored'))
  }

  [Symbol.dispose](): void {
    this.#callers[Symbol.dispose]()
  }
}
