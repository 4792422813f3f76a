import { z } from 'zod'
import type { Clock } from '../core/clock.ts'
import { isLanguageId, type LanguageId } from '../core/languages.ts'
import type { Log } from '../core/log.ts'
import type { WallClock } from '../core/wall-clock.ts'
import { DigestFile } from './digest-file.ts'

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 180
/** Callers that are remembered; those who called longest ago are forgotten first. */
const MOST = 100_000
/** Telephone numbers that are people's, not a word for a number withheld. */
const NUMBER = /^\+[1-9]\d{6,14}$/

/** The language, and the day since 1970 until which it is kept. */
const entrySchema = z.tuple([z.string().refine(isLanguageId), z.int()])
type Entry = z.output<typeof entrySchema>

export interface RememberedSettings {
  readonly file: string
  /** Keys the digests: without it the file says nothing about any number. */
  readonly key: string
  /** A caller who has not called for so long is forgotten; default 180. */
  readonly days?: number | undefined
}

export interface RememberedParts {
  readonly clock: Clock
  readonly wallClock: WallClock
  readonly log: Log
}

/**
 * Which language callers chose when they called last. Only keyed digests of their numbers are kept, in memory and in
 * the file.
 */
export class RememberedLanguages implements AsyncDisposable {
  readonly #days: number
  readonly #wallClock: WallClock
  /** In the order of their last calls. */
  readonly #callers: DigestFile<Entry>

  /** Reads the file if there is one. Throws `BridgeError` `CONFIG` when it is not one of these. */
  constructor({ file, key, days }: RememberedSettings, { clock, wallClock, log }: RememberedParts) {
    this.#days = days ?? DEFAULT_DAYS
    this.#wallClock = wallClock
    this.#callers = new DigestFile<Entry>({
      ...{ file, key, clock, log, entry: entrySchema },
      holds: 'remembered languages',
      setting: 'calls.remembered',
      table: 'callers',
      tidy: () => this.#tidy(),
    })
  }

  /** The language `caller` chose, if they are remembered. */
  find(caller: string): LanguageId | undefined {
    const known = this.#callers.get(caller)
    return known && known[1] >= this.#today() ? known[0] : undefined
  }

  /** Keeps what `caller` chose. A caller without a number is not remembered. */
  remember(caller: string, language: LanguageId): void {
    if (!NUMBER.test(caller)) return
    const until = this.#today() + this.#days
    const known = this.#callers.get(caller)
    if (known?.[0] !== language || known[1] !== until) this.#callers.set(caller, [language, until])
  }

  /** Writes what is not written yet. */
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
