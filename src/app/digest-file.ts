import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { after, type Clock } from '../core/clock.ts'
import { BridgeError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { writeWhole } from '../files/whole-file.ts'

/** Changes are gathered this long before the file is written (ms). */
const WRITE_AFTER_MS = 2_000
/** What a key is known by, in files that hold a check of it. */
const CHECK = 'dragoman'

export interface DigestFileTerms<T> {
  readonly file: string
  /** Keys the digests: without it the file says nothing about anybody. */
  readonly key: string
  /** What the file holds, in words: `remembered languages`. */
  readonly holds: string
  /** Where the file is set: `calls.remembered`. */
  readonly setting: string
  /** The name of the table in the file. */
  readonly table: string
  readonly entry: z.ZodType<T>
  /** Whether the file tells a wrong key from an empty memory. Files without that can still be read. */
  readonly checksKey?: boolean
  /** Called before the file is written: the owner's time to bound what is kept. */
  readonly tidy?: () => void
  readonly clock: Clock
  readonly log: Log
}

/**
 * What is kept about people in one file: JSON, by keyed digests of who they are, in memory as in the file, which is written
 * whole and put in place at once. The owner bounds it.
 */
export class DigestFile<T> implements AsyncDisposable {
  readonly #terms: DigestFileTerms<T>
  /** In the order in which they were set. */
  readonly #entries: Map<string, T>
  #timer: Disposable | undefined
  #writing: Promise<boolean> = Promise.resolve(true)
  /** A write that has not begun. */
  #queued: Promise<boolean> | undefined

  /** Reads the file if there is one. Throws `BridgeError` `CONFIG` when it is not one of these, or of another key. */
  constructor(terms: DigestFileTerms<T>) {
    this.#terms = terms
    this.#entries = new Map(Object.entries(this.#read()))
  }

  get size(): number {
    return this.#entries.size
  }

  get(person: string): T | undefined {
    return this.#entries.get(this.#digest(person))
  }

  /** Makes them the newest. */
  set(person: string, entry: T): void {
    const digest = this.#digest(person)
    this.#entries.delete(digest)
    this.#entries.set(digest, entry)
    this.#soon()
  }

  /** Forgets somebody. */
  delete(person: string): void {
    if (this.#entries.delete(this.#digest(person))) this.#soon()
  }

  /** Forgets all that `gone` says so of, from the one who was set longest ago to the newest. */
  prune(gone: (entry: T) => boolean): void {
    for (const [digest, entry] of this.#entries) if (gone(entry)) this.#entries.delete(digest)
  }

  /** Writes what there is. False when that failed, which the log tells. Never rejects. */
  write(): Promise<boolean> {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    // What changes until it begins is written along.
    this.#queued ??= this.#writing.then(() => {
      this.#queued = undefined
      return this.#replace()
    })
    this.#writing = this.#queued
    return this.#queued
  }

  /** Writes what is not written yet. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#timer) void this.write()
    await this.#writing
  }

  #soon(): void {
    this.#timer ??= after(this.#terms.clock, WRITE_AFTER_MS, () => void this.write())
  }

  #digest(person: string): string {
    return createHmac('sha256', this.#terms.key).update(person).digest('base64url').slice(0, 27)
  }

  async #replace(): Promise<boolean> {
    const { file, holds, log, table, checksKey, tidy } = this.#terms
    tidy?.()
    const text = JSON.stringify({
      version: 1,
      ...(checksKey ? { key: this.#digest(CHECK) } : {}),
      [table]: Object.fromEntries(this.#entries),
    })
    try {
      await writeWhole(file, text)
      return true
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException
      log.error({ file, code }, `${holds} could not be written`)
      return false
    }
  }

  #read(): Readonly<Record<string, T>> {
    const { file, setting, holds, table, entry } = this.#terms
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
    if (!read.success)
      throw wrong(`holds something else than ${holds}: put a backup in its place, or name another file`)
    const { key } = read.data
    if (key !== undefined && key !== this.#digest(CHECK))
      throw wrong(`was written with another key than ${setting}.key: set that again, or name another file`)
    return read.data[table] as Readonly<Record<string, T>>
  }
}

/** undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
