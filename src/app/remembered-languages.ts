import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { after, type Clock } from '../core/clock.ts'
import { BridgeError } from '../core/errors.ts'
import { isLanguageId, type LanguageId } from '../core/languages.ts'
import type { Log } from '../core/log.ts'
import type { WallClock } from '../core/wall-clock.ts'

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 180
/** Callers that are remembered; those who called longest ago are forgotten first. */
const MOST = 100_000
/** Changes are gathered this long before the file is written (ms). */
const WRITE_AFTER_MS = 2_000
/** Telephone numbers that are people's, not a word for a number withheld. */
const NUMBER = /^\+[1-9]\d{6,14}$/

const fileSchema = z.strictObject({
  version: z.literal(1),
  /** By digest: the language, and the day since 1970 until which it is kept. */
  callers: z.record(z.string(), z.tuple([z.string().refine(isLanguageId), z.int()])),
})

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
 * the file, which is written whole and put in place at once.
 */
export class RememberedLanguages implements AsyncDisposable {
  readonly #settings: RememberedSettings
  readonly #parts: RememberedParts
  /** In the order of their last calls. */
  readonly #callers: Map<string, readonly [LanguageId, number]>
  #timer: Disposable | undefined
  #writing: Promise<void> = Promise.resolve()

  /** Reads the file if there is one. Throws `BridgeError` `CONFIG` when it is not one of these. */
  constructor(settings: RememberedSettings, parts: RememberedParts) {
    this.#settings = settings
    this.#parts = parts
    this.#callers = new Map(Object.entries(readCallers(settings.file)))
  }

  /** The language `caller` chose, if they are remembered. */
  find(caller: string): LanguageId | undefined {
    const known = this.#callers.get(this.#digest(caller))
    return known && known[1] >= this.#today() ? known[0] : undefined
  }

  /** Keeps what `caller` chose. A caller without a number is not remembered. */
  remember(caller: string, language: LanguageId): void {
    if (!NUMBER.test(caller)) return
    const digest = this.#digest(caller)
    const until = this.#today() + (this.#settings.days ?? DEFAULT_DAYS)
    const known = this.#callers.get(digest)
    if (known?.[0] === language && known[1] === until) return
    this.#callers.delete(digest)
    this.#callers.set(digest, [language, until])
    this.#timer ??= after(this.#parts.clock, WRITE_AFTER_MS, () => this.#write())
  }

  /** Writes what is not written yet. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#timer) this.#write()
    await this.#writing
  }

  #digest(caller: string): string {
    return createHmac('sha256', this.#settings.key).update(caller).digest('base64url').slice(0, 27)
  }

  #today(): number {
    return Math.floor(this.#parts.wallClock() / DAY_MS)
  }

  #write(): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    const today = this.#today()
    for (const [digest, [, until]] of this.#callers)
      if (until < today || this.#callers.size > MOST) this.#callers.delete(digest)
    const text = JSON.stringify({ version: 1, callers: Object.fromEntries(this.#callers) })
    this.#writing = this.#writing.then(() => this.#replace(text))
  }

  async #replace(text: string): Promise<void> {
    const { file } = this.#settings
    const draft = `${file}.${process.pid}.new`
    try {
      await writeFile(draft, text, { mode: 0o600, flush: true })
      await rename(draft, file)
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException
      this.#parts.log.error({ file, code }, 'remembered languages could not be written')
    }
  }
}

function readCallers(file: string): z.output<typeof fileSchema>['callers'] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return {}
    throw new BridgeError('CONFIG', `calls.remembered.file: ${file} cannot be read (${code})`)
  }
  try {
    return fileSchema.parse(JSON.parse(text)).callers
  } catch {
    throw new BridgeError(
      'CONFIG',
      `calls.remembered.file: ${file} holds something else than remembered languages`,
    )
  }
}
