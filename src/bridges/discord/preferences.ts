import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { BoundedMap } from '../../common/bounded-map.ts'
import type { Clock } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { isLanguageId, type LanguageId } from '../../common/language.ts'
import type { Logger } from '../../common/log.ts'
import { DigestFile } from '../../storage/digest-file.ts'
import type { Preferences } from './contract.ts'
import type { PreferenceSettings } from './settings.ts'

const SETTING = 'discord.preferences'
/** Maximum number of people with a stored language, not counting opt-outs; the oldest entries are removed first. */
const MOST_LANGUAGES = 100_000
/** Maximum number of opt-outs, which are kept longest (40 MB). */
const MOST_OPTED_OUT = 1_000_000
/** Maximum number of languages kept until the process ends. */
const MOST_SESSION = 100_000

/** Stored preferences of a user: a language, an opt-out, or both. */
const entrySchema = z.strictObject({
  language: z.string().refine(isLanguageId).optional(),
  out: z.literal(true).optional(),
})
type Entry = z.output<typeof entrySchema>

/**
 * Preferences of Discord users. Opt-outs are always stored, languages only on request. The file uses keyed digests
 * instead of user IDs.
 */
export class DiscordPreferences implements Preferences, AsyncDisposable {
  readonly #kept: DigestFile<Entry>
  /** Until the process ends. */
  readonly #session = new BoundedMap<string, LanguageId>(MOST_SESSION)

  /** Reads the file, if it exists. Throws `BridgeError` `CONFIG` if it is invalid or its key is missing. */
  constructor(
    { file, key }: PreferenceSettings,
    { clock, log }: { readonly clock: Clock; readonly log: Logger },
  ) {
    this.#kept = new DigestFile<Entry>({
      ...{ file, clock, log, setting: SETTING, entry: entrySchema, checksKey: true },
      key: key ?? ownKey(file),
      holds: 'preferences of Discord users',
      table: 'users',
      tidy: () => this.#tidy(),
    })
  }

  language(userId: string): LanguageId | undefined {
    return this.#session.get(userId) ?? this.#kept.get(userId)?.language
  }

  setLanguage(userId: string, language: LanguageId, remember: boolean): void {
    this.#session.delete(userId)
    if (remember) {
      this.#keep(userId, { ...this.#kept.get(userId), language })
      return
    }
    this.#session.set(userId, language)
  }

  optedOut(userId: string): boolean {
    return this.#kept.get(userId)?.out ?? false
  }

  /** Written at once, so that an opt-out survives a crash. */
  setOptedOut(userId: string, out: boolean): void {
    const { out: before = false, ...rest } = this.#kept.get(userId) ?? {}
    if (before === out) return
    this.#keep(userId, out ? { ...rest, out } : rest)
    void this.#kept.write()
  }

  /** Rejects if the entry could not be deleted on disk, so that deletion is never confirmed wrongly. */
  async forget(userId: string): Promise<void> {
    this.#session.delete(userId)
    this.#kept.delete(userId)
    if (!(await this.#kept.write()))
      throw new BridgeError('STATE', `${SETTING}.file could not be written`, { retryable: true })
  }

  about(userId: string): ReturnType<Preferences['about']> {
    const language = this.language(userId)
    const remembered = language !== undefined && !this.#session.has(userId)
    return { language, remembered, optedOut: this.optedOut(userId) }
  }

  /** Writes pending changes. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#kept[Symbol.asyncDispose]()
  }

  #keep(userId: string, entry: Entry): void {
    if (entry.language === undefined && !entry.out) this.#kept.delete(userId)
    else this.#kept.set(userId, entry)
  }

  /** Removes the oldest entries above the limits. */
  #tidy(): void {
    if (this.#kept.size <= MOST_LANGUAGES) return
    let optedOut = 0
    this.#kept.prune(({ out }) => {
      if (out) optedOut++
      return false
    })
    let languages = this.#kept.size - optedOut - MOST_LANGUAGES
    optedOut -= MOST_OPTED_OUT
    this.#kept.prune(({ out }) => (out ? optedOut-- > 0 : languages-- > 0))
  }
}

/** Returns the key stored next to the file; generates one if neither file exists. */
function ownKey(file: string): string {
  const place = `${file}.key`
  try {
    if (existsSync(place)) {
      const key = readFileSync(place, 'utf8').trim()
      if (key.length >= 16) return key
      throw new BridgeError(
        'CONFIG',
        `${SETTING}.file: ${place} does not contain a key of at least 16 characters`,
      )
    }
    if (existsSync(file))
      throw new BridgeError(
        'CONFIG',
        `${SETTING}.file: ${file} exists, but its key ${place} does not: restore the key, set ${SETTING}.key, or name another file`,
      )
    const key = randomBytes(32).toString('base64url')
    writeFileSync(place, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true })
    return key
  } catch (error) {
    if (error instanceof BridgeError) throw error
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new BridgeError('CONFIG', `${SETTING}.file: its key ${place} cannot be read or created (${code})`)
  }
}

/** Users' settings in memory, until the process ends, for installations that store nothing. */
export class MemoryPreferences implements Preferences {
  readonly #languages = new Map<string, LanguageId>()
  readonly #optedOut = new Set<string>()

  language(userId: string): LanguageId | undefined {
    return this.#languages.get(userId)
  }

  setLanguage(userId: string, language: LanguageId): void {
    this.#languages.set(userId, language)
  }

  optedOut(userId: string): boolean {
    return this.#optedOut.has(userId)
  }

  setOptedOut(userId: string, out: boolean): void {
    if (out) this.#optedOut.add(userId)
    else this.#optedOut.delete(userId)
  }

  async forget(userId: string): Promise<void> {
    this.#languages.delete(userId)
    this.#optedOut.delete(userId)
  }

  about(userId: string): ReturnType<Preferences['about']> {
    const language = this.#languages.get(userId)
    return { language, remembered: false, optedOut: this.optedOut(userId) }
  }
}
