import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type Clock, setTimer } from '../common/clock.ts'
import { BridgeError } from '../common/errors.ts'
import type { Logger } from '../common/log.ts'
import { writeFileAtomic } from './atomic-file.ts'

/** Changes are collected for this long before the file is written (ms). */
const WRITE_AFTER_MS = 2_000
/** Text whose digest is stored in files with a key check. */
const CHECK = 'dragoman'

export interface DigestFileOptions<T> {
  readonly file: string
  /** Key of the digests: without it, the file identifies no one. */
  readonly key: string
  /** Describes the content: `remembered languages`. */
  readonly holds: string
  /** Name of the setting: `calls.callerLanguages`. */
  readonly setting: string
  /** Name of the table in the file. */
  readonly table: string
  readonly entry: z.ZodType<T>
  /** True if the file distinguishes a wrong key from an empty memory. Files without the check can still be read. */
  readonly checksKey?: boolean
  /** Called before the file is written, so that the owner can limit the entries. */
  readonly tidy?: () => void
  readonly clock: Clock
  readonly log: Logger
}

/**
 * A JSON file with data about people under keyed digests of their identity, in memory as well as on disk. It is
 * replaced atomically. The owner limits its size.
 */
export class DigestFile<T> implements AsyncDisposable {
  readonly #options: DigestFileOptions<T>
  /** In insertion order. */
  readonly #entries: Map<string, T>
  #timer: Disposable | undefined
  #writing: Promise<boolean> = Promise.resolve(true)
  /** A write that has not started. */
  #queued: Promise<boolean> | undefined

  /** Reads the file, if it exists. Throws `BridgeError` `CONFIG` if it is invalid or was written with another key. */
  constructor(options: DigestFileOptions<T>) {
    this.#options = options
    this.#entries = new Map(Object.entries(this.#read()))
  }

  get size(): number {
    return this.#entries.size
  }

  get(person: string): T | undefined {
    return this.#entries.get(this.#digest(person))
  }

  /** Sets the entry and makes it the newest. */
  set(person: string, entry: T): void {
    const digest = this.#digest(person)
    this.#entries.delete(digest)
    this.#entries.set(digest, entry)
    this.#soon()
  }

  /** Deletes a person’s entry. */
  delete(person: string): void {
    if (this.#entries.delete(this.#digest(person))) this.#soon()
  }

  /** Deletes all entries for which `gone` returns true, from the oldest to the newest. */
  prune(gone: (entry: T) => boolean): void {
    for (const [digest, entry] of this.#entries) if (gone(entry)) this.#entries.delete(digest)
  }

  /** Writes all entries. Resolves to false on failure, which is logged. Never rejects. */
  write(): Promise<boolean> {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    // Changes until the write starts are included.
    this.#queued ??= this.#writing.then(() => {
      this.#queued = undefined
      return this.#replace()
    })
    this.#writing = this.#queued
    return this.#queued
  }

  /** Writes pending changes. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#timer) void this.write()
    await this.#writing
  }

  #soon(): void {
    this.#timer ??= setTimer(this.#options.clock, WRITE_AFTER_MS, () => void this.write())
  }

  #digest(person: string): string {
    return createHmac('sha256', this.#options.key).update(person).digest('base64url').slice(0, 27)
  }

  async #replace(): Promise<boolean> {
    const { file, holds, log, table, checksKey, tidy } = this.#options
    tidy?.()
    const text = JSON.stringify({
      version: 1,
      ...(checksKey ? { key: this.#digest(CHECK) } : {}),
      [table]: Object.fromEntries(this.#entries),
    })
    try {
      await writeFileAtomic(file, text)
      return true
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException
      log.error({ file, code }, `${holds} could not be written`)
      return false
    }
  }

  #read(): Readonly<Record<string, T>> {
    const { file, setting, holds, table, entry } = this.#options
    const wrong = (what: string) => new BridgeError('CONFIG', `${setting}.file: ${file} ${what}`)
    let text: string
    try {
      text = readFileSync(file, 'utf8')
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return {}
      throw wrong(`cannot be read (${code})`)
    }
    const schema = z.strictObject({
      version: z.literal(1),
      key: z.string().optional(),
      [table]: z.record(z.string(), entry),
    })
    const read = schema.safeParse(parsed(text))
    if (!read.success) throw wrong(`does not contain ${holds}: restore a backup, or name another file`)
    const { key } = read.data
    if (key !== undefined && key !== this.#digest(CHECK))
      throw wrong(`was written with another key than ${setting}.key: restore that key, or name another file`)
    return read.data[table] as Readonly<Record<string, T>>
  }
}

/** Returns undefined for invalid JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
