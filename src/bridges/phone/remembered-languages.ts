import { z } from 'zod'
import type { Clock } from '../../common/clock.ts'
import { isLanguageId, type LanguageId } from '../../common/language.ts'
import type { Logger } from '../../common/log.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import { CALLER_LANGUAGE_DAYS, type CallerLanguageSettings } from '../../core/calls/settings.ts'
import { DigestFile } from '../../storage/digest-file.ts'
import type { CallerLanguages } from './number-routing.ts'

const DAY_MS = 86_400_000
/** Maximum number of callers; the least recent callers are removed first. */
const MOST = 100_000
/** Phone numbers of people, not a word for a withheld number. */
export const PHONE_NUMBER = /^\+[1-9]\d{6,14}$/

/** The language, and the day since 1970 until which it is kept. */
const entrySchema = z.tuple([z.string().refine(isLanguageId), z.int()])
type Entry = z.output<typeof entrySchema>

export interface RememberedOptions {
  readonly clock: Clock
  readonly wallClock: WallClock
  readonly log: Logger
}

/**
 * Stores the language that callers chose in their last call. Only keyed digests of their numbers are kept, in memory
 * and in the file.
 */
export class RememberedLanguages implements CallerLanguages, AsyncDisposable {
  readonly #days: number
  readonly #wallClock: WallClock
  /** In the order of their last calls. */
  readonly #callers: DigestFile<Entry>

  /** Reads the file, if it exists. Throws `BridgeError` `CONFIG` if it is invalid. */
  constructor(
    { file, key, days = CALLER_LANGUAGE_DAYS }: CallerLanguageSettings,
    { clock, wallClock, log }: RememberedOptions,
  ) {
    this.#days = days
    this.#wallClock = wallClock
    this.#callers = new DigestFile<Entry>({
      ...{ file, key, clock, log, entry: entrySchema },
      holds: 'remembered languages',
      setting: 'calls.callerLanguages',
      table: 'callers',
      tidy: () => this.#tidy(),
    })
  }

  /** Returns the language that `caller` chose, if it is stored. */
  find(caller: string): LanguageId | undefined {
    const known = this.#callers.get(caller)
    return known && known[1] >= this.#today() ? known[0] : undefined
  }

  /** Stores the choice of `caller`, unless the number is withheld. */
  remember(caller: string, language: LanguageId): void {
    if (!PHONE_NUMBER.test(caller)) return
    const until = this.#today() + this.#days
    const known = this.#callers.get(caller)
    if (known?.[0] !== language || known[1] !== until) this.#callers.set(caller, [language, until])
  }

  /** Writes pending changes. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#callers[Symbol.asyncDispose]()
  }

  #tidy(): void {
    const today = this.#today()
    let over = this.#callers.size - MOST
    this.#callers.prune(([, until]) => until < today || over-- > 0)
  }

  #today(): number {
    return Math.floor(this.#wallClock() / DAY_MS)
  }
}
