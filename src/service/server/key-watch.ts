import { createHash } from 'node:crypto'
import { type Clock, Ticker } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { ApiKeys } from './api-keys.ts'
import type { KeyFile } from './key-file.ts'

/** How often the file is looked at (ms). Events of the file system would be sooner, but some never come. */
const PERIOD_MS = 500
/** Looks in a row that must fail before the keys are dropped: some programs remove a file before they write it again. */
const FAILED_LOOKS = 2
/** Failures that are this process's own shortage and say nothing about the file. */
const SHORTAGES = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR'])

/** Whether the keys of the file are in force. */
export type KeyFileStatus =
  /** They are. */
  | 'current'
  /** There is no file, and so no keys of it. */
  | 'missing'
  /** The file cannot be read, and none of its keys is accepted. */
  | 'unreadable'
  /** The file is not a key file; the keys of its last valid version are in force. */
  | 'invalid'

/**
 * Keeps `keys` as the key file says. A file that is gone has no keys, and of one that cannot be read no keys are accepted:
 * a key may have been revoked in it. A file that is read and not understood changes nothing. The log reports each once.
 */
export class KeyWatch implements Disposable {
  readonly #file: KeyFile
  readonly #keys: ApiKeys
  readonly #log: Log
  readonly #ticker: Ticker
  /** Of the version that was read last; undefined while there is none. */
  #stamp: string | undefined
  #status: KeyFileStatus = 'current'
  #failed = 0
  /** The log has been told of a shortage. */
  #short = false
  #busy = false

  private constructor(file: KeyFile, keys: ApiKeys, clock: Clock, log: Log) {
    this.#file = file
    this.#keys = keys
    this.#log = log
    this.#ticker = new Ticker(clock, PERIOD_MS, () => void this.check())
  }

  /**
   * Reads the file, which need not exist yet, and goes on watching. Rejects with `CONFIG` when it is not understood; one
   * that cannot be read is reported and has no keys until it can.
   */
  static async start(file: KeyFile, keys: ApiKeys, clock: Clock, log: Log): Promise<KeyWatch> {
    const watch = new KeyWatch(file, keys, clock, log)
    watch.#failed = FAILED_LOOKS - 1
    try {
      await watch.#look(true)
    } catch (error) {
      watch[Symbol.dispose]()
      throw error
    }
    return watch
  }

  get status(): KeyFileStatus {
    return this.#status
  }

  /** Names the version of the file that is in force; undefined while there is none. Tells nothing about what is in it. */
  get revision(): string | undefined {
    return this.#status === 'current' && this.#stamp !== undefined ? revisionOf(this.#stamp) : undefined
  }

  /** Looks at the file now. Never rejects. */
  async check(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    try {
      await this.#look(false)
    } finally {
      this.#busy = false
    }
  }

  [Symbol.dispose](): void {
    this.#ticker[Symbol.dispose]()
  }

  async #look(first: boolean): Promise<void> {
    // Taken before reading: what changes meanwhile is seen at the next look.
    const stamp = await this.#file.stamp()
    if (stamp !== undefined && stamp === this.#stamp) return
    let entries: Awaited<ReturnType<KeyFile['read']>>
    try {
      entries = await this.#file.read()
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
      if (code === undefined) {
        if (first) throw error
        this.#notUnderstood(stamp, error as Error)
      } else this.#lost(code, first)
      return
    }
    if (!entries) return this.#lost('ENOENT', first)
    this.#stamp = stamp
    this.#failed = 0
    this.#short = false
    this.#status = 'current'
    this.#keys.keep(entries)
    this.#log.info({ keys: entries.length }, 'keys of the file in force')
  }

  #notUnderstood(stamp: string | undefined, { message }: Error): void {
    this.#stamp = stamp
    this.#failed = 0
    this.#status = 'invalid'
    this.#log.error({ reason: message }, 'key file not understood, the keys stay as they were')
  }

  /** There is no file, or it cannot be read: after a second look its keys are dropped. */
  #lost(code: string, first: boolean): void {
    this.#stamp = undefined
    if (SHORTAGES.has(code)) {
      if (!this.#short) this.#log.error({ code }, 'key file not read, the keys stay as they were')
      this.#short = true
      return
    }
    const status = code === 'ENOENT' ? 'missing' : 'unreadable'
    if (this.#status === status || ++this.#failed < FAILED_LOOKS) return
    this.#status = status
    this.#keys.keep([])
    if (status === 'missing' && first) this.#log.info({}, 'no key file yet')
    else if (status === 'missing') this.#log.warn({}, 'the key file is gone, and its keys with it')
    if (status === 'unreadable')
      this.#log.error(
        { path: this.#file.path, code },
        'key file cannot be read, none of its keys is accepted',
      )
  }
}

/** A short name of the version of a file that `stamp` belongs to. */
export function revisionOf(stamp: string): string {
  return createHash('sha256').update(stamp).digest('hex').slice(0, 16)
}
