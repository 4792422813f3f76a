import { appendFile, mkdir, open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { BridgeError } from '../../common/errors.ts'
import { parseJson } from '../../common/json.ts'
import type { Logger } from '../../common/log.ts'
import { isoTime, type WallClock } from '../../common/wall-clock.ts'
import type { RoomLife } from '../captions/caption-feed.ts'
import {
  type Transcript,
  TranscriptBuilder,
  type TranscriptEntry,
  type TranscriptStore,
  type TranscriptSummary,
  type TranscriptWriter,
  transcriptEntrySchema,
  transcriptSummarySchema,
} from './transcript.ts'

/** Maximum number of characters waiting for a slow disk. */
const MOST_WAITING = 4_000_000

/**
 * A transcript on disk, readable only by its owner (mode 0600): JSON lines, the head first, then entries as they
 * arrive. Writes are sequential. A disk error ends the file: `onFailure` is called once, and the call continues.
 */
class TranscriptFile {
  readonly #path: string
  readonly #head: string
  readonly #onFailure: (error: unknown) => void
  #waiting = ''
  #begun = false
  /** True if the file still contains cleared entries. */
  #stale = false
  #failed = false
  #writing: Promise<void> | undefined

  constructor(path: string, head: TranscriptHead, onFailure: (error: unknown) => void) {
    this.#path = path
    this.#head = `${JSON.stringify(head)}\n`
    this.#onFailure = onFailure
  }

  write(entry: TranscriptEntry): void {
    if (this.#failed) return
    this.#waiting += `${JSON.stringify(entry)}\n`
    if (this.#waiting.length > MOST_WAITING) this.#fail(new RangeError('the disk does not keep up'))
    this.#pump()
  }

  /** Starts again with only the head. */
  clear(): void {
    this.#waiting = ''
    this.#stale = this.#begun
    this.#begun = false
    this.#pump()
  }

  /** Settles when everything is on disk, or writing has failed. */
  async flushed(): Promise<void> {
    while (this.#writing) await this.#writing
  }

  #pump(): void {
    if (this.#writing || this.#failed || (this.#waiting === '' && !this.#stale)) return
    this.#writing = this.#flush()
      .catch(error => this.#fail(error))
      .finally(() => {
        this.#writing = undefined
        this.#pump()
      })
  }

  async #flush(): Promise<void> {
    const text = this.#waiting
    this.#waiting = ''
    if (this.#begun) return appendFile(this.#path, text)
    // Created with the first entry, so that silent rooms leave no file.
    this.#begun = true
    this.#stale = false
    return writeFile(this.#path, this.#head + text, { mode: 0o600 })
  }

  #fail(error: unknown): void {
    if (this.#failed) return
    this.#failed = true
    this.#waiting = ''
    this.#onFailure(error)
  }
}

/** Only files of this program are read and deleted. */
const FILE = /^([\w-]{20})\.jsonl$/
/** Maximum size of the head of a file; larger than any escaped room name. */
const HEAD_BYTES = 65_536

/** The first line of a file. */
const headSchema = transcriptSummarySchema.pick({ id: true, room: true, openedAt: true }).strip()
type TranscriptHead = z.infer<typeof headSchema>

const position = z.number().min(0)
const entrySchema = transcriptEntrySchema.extend({ startMs: position, endMs: position }).strip()

export interface DiskShelfOptions {
  readonly wall: WallClock
  readonly log: Logger
  readonly keepMs: number
}

/** Transcripts in a folder, including earlier runs. The age of a transcript is that of its file. */
export class DiskStore implements TranscriptStore {
  readonly #folder: string
  readonly #options: DiskShelfOptions
  readonly #kept = new Map<string, { readonly summary: TranscriptSummary; readonly until: number }>()
  /** Number of files that could not be written. */
  failed = 0

  private constructor(folder: string, options: DiskShelfOptions) {
    this.#folder = folder
    this.#options = options
  }

  /** Creates the folder if necessary and reads its contents. Rejects with `BridgeError` `CONFIG` on failure. */
  static async open(folder: string, options: DiskShelfOptions): Promise<DiskStore> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return await DiskStore.#find(folder, options)
    } catch (cause) {
      const { code = 'error' } = cause as NodeJS.ErrnoException
      throw new BridgeError('CONFIG', `transcripts.folder: ${folder} cannot be used (${code})`, { cause })
    }
  }

  static async #find(folder: string, options: DiskShelfOptions): Promise<DiskStore> {
    const store = new DiskStore(folder, options)
    for (const name of await readdir(folder)) {
      const id = FILE.exec(name)?.[1]
      const head = id === undefined ? undefined : await readHead(join(folder, name))
      if (id !== undefined && head?.id === id) await store.#keep(head)
    }
    await store.sweep()
    return store
  }

  begin({ id, room, openedAt }: RoomLife): TranscriptWriter {
    const { log } = this.#options
    const head = { id, room, openedAt }
    const file = new TranscriptFile(this.#path(id), head, error => {
      this.failed++
      const { code = 'error' } = error as NodeJS.ErrnoException
      log.error({ transcript: id, code }, 'transcript not written')
    })
    return {
      write: entry => file.write(entry),
      clear: () => file.clear(),
      finish: async ({ entries }) => {
        await file.flushed()
        if (entries.length === 0) await rm(this.#path(id), { force: true }).catch(() => {})
        else await this.#ended(head).catch(() => {})
      },
    }
  }

  list(): readonly TranscriptSummary[] {
    return Array.from(this.#kept.values(), ({ summary }) => summary)
  }

  async read(id: string): Promise<Transcript | undefined> {
    await this.sweep()
    const kept = this.#kept.get(id)
    const text = kept && (await readFile(this.#path(id), 'utf8').catch(() => undefined))
    if (!kept || text === undefined) return undefined
    const builder = new TranscriptBuilder()
    // The last line can be incomplete if the program was killed.
    for (const line of text.split('\n').slice(1)) {
      const entry = entrySchema.safeParse(parseJson(line)).data
      if (!entry) continue
      const { name, system, ...rest } = entry
      builder.put({ ...rest, ...(name === undefined ? {} : { name }), ...(system ? { system } : {}) })
    }
    return { ...kept.summary, entries: builder.entries(), dropped: builder.dropped }
  }

  async delete(id: string): Promise<boolean> {
    if (!this.#kept.delete(id)) return false
    await rm(this.#path(id), { force: true })
    return true
  }

  async sweep(): Promise<void> {
    const now = this.#options.wall()
    for (const [id, { until }] of Array.from(this.#kept)) {
      if (until > now) continue
      await this.delete(id).catch(error => {
        const { code = 'error' } = error as NodeJS.ErrnoException
        this.#options.log.error({ transcript: id, code }, 'transcript not deleted')
      })
    }
  }

  /** Sets the age of the file to the end of the room, which can be long after the last entry. */
  async #ended(head: TranscriptHead): Promise<void> {
    const seconds = this.#options.wall() / 1_000
    await utimes(this.#path(head.id), seconds, seconds)
    await this.#keep(head)
  }

  async #keep({ id, room, openedAt }: TranscriptHead): Promise<void> {
    const { mtimeMs } = await stat(this.#path(id))
    const until = mtimeMs + this.#options.keepMs
    const summary = { id, room, openedAt, endedAt: isoTime(mtimeMs), deletedAt: isoTime(until) }
    this.#kept.set(id, { summary, until })
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.jsonl`)
  }
}

async function readHead(path: string): Promise<TranscriptHead | undefined> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES))
  const [line = ''] = buffer.toString('utf8', 0, bytesRead).split('\n')
  return headSchema.safeParse(parseJson(line)).data
}
