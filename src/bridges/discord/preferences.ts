import { z } from 'zod'
import { BoundedMap } from '../../common/bounded-map.ts'
import { isLanguageId, type LanguageId } from '../../common/language.ts'
import { errorFields, type Logger } from '../../common/log.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import { KeptEntries, type KeptEntriesOptions } from '../../core/calls/kept-entries.ts'
import type { Fleet } from '../../core/model/fleet.ts'
import type { Preferences } from './contract.ts'

/** Lifetime of an entry (ms): as good as permanent, but bounded. With too many entries, those that expire first are deleted. */
const KEEP_MS = { optedOut: 10 * 365 * 86_400_000, language: 5 * 365 * 86_400_000 }
/** Maximum number of languages kept until the process ends. */
const MOST_SESSION = 100_000
/** Subject on which nodes tell each other of changes. */
const SUBJECT = 'discord preferences'

const entrySchema = z.object({
  language: z.string().refine(isLanguageId).optional(),
  out: z.literal(true).optional(),
})
type Entry = z.output<typeof entrySchema>
const changeSchema = z.object({ user: z.string().max(64), entry: entrySchema.optional() })

/**
 * Preferences of Discord users, stored in this process, or at every node of a fleet, under keyed digests of user IDs. Opt-outs are always
 * stored, languages only on request. Each process has a copy in memory. Until it has read them, it treats every user as opted out,
 * so that it never listens to users who opted out.
 */
export class DiscordPreferences implements Preferences, Disposable {
  readonly #fleet: Fleet
  readonly #wallClock: WallClock
  readonly #log: Logger
  readonly #kept: KeptEntries<Entry>
  readonly #session = new BoundedMap<string, LanguageId>(MOST_SESSION)
  /** By digest; undefined until they are read. */
  #users: Map<string, Entry> | undefined
  /** Changes that are not stored yet, by digest. */
  readonly #pending = new Map<string, { readonly entry: Entry | undefined }>()
  #watches: readonly Disposable[] = []

  constructor(fleet: Fleet, options: KeptEntriesOptions) {
    this.#fleet = fleet
    this.#wallClock = options.wallClock
    this.#log = options.log
    this.#kept = new KeptEntries(fleet, 'discord users', entrySchema, options)
  }

  /** Reads the preferences and follows the other nodes. Call it once. */
  start(): void {
    this.#kept.start()
    this.#watches = [
      this.#kept,
      this.#fleet.exchange.hear(SUBJECT, changeSchema, ({ user, entry }) => this.#set(user, entry)),
      this.#fleet.onStatus(status => {
        if (status === 'up') this.#catchUp()
      }),
    ]
    this.#read()
  }

  language(userId: string): LanguageId | undefined {
    return this.#session.get(userId) ?? this.#entryOf(userId)?.language
  }

  setLanguage(userId: string, language: LanguageId, remember: boolean): void {
    this.#session.delete(userId)
    if (!remember) {
      this.#session.set(userId, language)
      return
    }
    this.#keep(userId, { ...this.#entryOf(userId), language }).catch((error: unknown) =>
      this.#log.warn(errorFields(error), 'language of a Discord user could not be stored'),
    )
  }

  optedOut(userId: string): boolean {
    return this.#users === undefined || this.#entryOf(userId)?.out === true
  }

  /** Takes effect here at once. Rejects with `BridgeError` `FLEET_AWAY` if other nodes do not know it, or `STORAGE`. */
  async setOptedOut(userId: string, out: boolean): Promise<void> {
    const { out: _, ...rest } = this.#entryOf(userId) ?? {}
    await this.#keep(userId, out ? { ...rest, out } : rest)
  }

  async forget(userId: string): Promise<void> {
    this.#session.delete(userId)
    await this.#keep(userId, {})
  }

  about(userId: string): ReturnType<Preferences['about']> {
    const language = this.language(userId)
    const remembered = language !== undefined && !this.#session.has(userId)
    return { language, remembered, optedOut: this.optedOut(userId) }
  }

  [Symbol.dispose](): void {
    for (const watch of this.#watches) watch[Symbol.dispose]()
  }

  #entryOf(userId: string): Entry | undefined {
    return this.#users?.get(this.#fleet.digest(userId))
  }

  async #keep(userId: string, changed: Entry): Promise<void> {
    const user = this.#fleet.digest(userId)
    const entry = changed.language === undefined && !changed.out ? undefined : changed
    this.#set(user, entry)
    await this.#store(user, { entry })
  }

  async #store(user: string, change: { readonly entry: Entry | undefined }): Promise<void> {
    const { entry } = change
    this.#pending.set(user, change)
    this.#fleet.exchange.tell(SUBJECT, { user, entry })
    const keepMs = entry?.out ? KEEP_MS.optedOut : KEEP_MS.language
    if (entry) await this.#kept.put(user, entry, this.#wallClock() + keepMs)
    else await this.#kept.delete(user)
    if (this.#pending.get(user) === change) this.#pending.delete(user)
  }

  /** Stores what could not be stored, and reads what others have changed. */
  #catchUp(): void {
    for (const [user, change] of this.#pending)
      this.#store(user, change).catch((error: unknown) =>
        this.#log.warn(errorFields(error), 'preferences of Discord users could not be stored'),
      )
    this.#read()
  }

  #set(user: string, entry: Entry | undefined): void {
    if (entry) this.#users?.set(user, entry)
    else this.#users?.delete(user)
  }

  #read(): void {
    this.#kept.all().then(
      users => {
        this.#users = new Map(users)
        for (const [user, { entry }] of this.#pending) this.#set(user, entry)
      },
      (error: unknown) =>
        this.#log.warn(errorFields(error), 'preferences of Discord users cannot be read yet'),
    )
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
