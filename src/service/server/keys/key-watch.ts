import { createHash } from 'node:crypto'
import { type Clock, Ticker } from '../../../common/clock.ts'
import type { Logger } from '../../../common/log.ts'
import type { ApiKeys } from './api-keys.ts'
import type { KeyFile } from './key-store.ts'

/** Interval between checks of the file (ms). File system events would be faster, but some never arrive. */
const PERIOD_MS = 500
/**
 * Consecutive failed checks after which the keys are dropped: some programs remove a file before they write it again.
 */
const FAILED_LOOKS = 2
/** Errors that are a resource shortage of this process and say nothing about the file. */
const SHORTAGES = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR'])

/** State of the key file. */
export type KeyFileStatus =
  /** Its keys are active. */
  | 'current'
  /** The file does not exist, so it has no keys. */
  | 'missing'
  /** The file cannot be read, and none of its keys is accepted. */
  | 'unreadable'
  /** The file is invalid; the keys of its last valid version are active. */
  | 'invalid'

/**
 * Keeps `keys` in sync with the key file. Deleting the file revokes its keys. If it cannot be read, none of its keys is
 * accepted, because one of them has possibly been revoked. An invalid file changes nothing. Each state is logged once.
 */
export class KeyWatch implements Disposable {
  readonly #file: KeyFile
  readonly #keys: ApiKeys
  readonly #log: Logger
  #ticker: Ticker | undefined
  /** Of the version that was read last; undefined without a file. */
  #stamp: string | undefined
  #status: KeyFileStatus = 'current'
  #failed = 0
  /** The shortage has been logged. */
  #short = false
  #busy = false

  private constructor(file: KeyFile, keys: ApiKeys, log: Logger) {
    this.#file = file
    this.#keys = keys
    this.#log = log
  }

  /**
   * Reads the file, which need not exist yet, and keeps watching it. Rejects with `CONFIG` when it is invalid. An
   * unreadable file is reported and has no keys until it is readable.
   */
  static async start(file: KeyFile, keys: ApiKeys, clock: Clock, log: Logger): Promise<KeyWatch> {
    const watch = new KeyWatch(file, keys, log)
    watch.#failed = FAILED_LOOKS - 1
    await watch.#look(true)
    watch.#ticker = new Ticker(clock, PERIOD_MS, () => void watch.check())
    return watch
  }

  get status(): KeyFileStatus {
    return this.#status
  }

  /** Identifies the active version of the file without revealing its content; undefined without one. */
  get revision(): string | undefined {
    return this.#status === 'current' && this.#stamp !== undefined ? revisionOf(this.#stamp) : undefined
  }

  /** Checks the file now. Never rejects. */
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
    this.#ticker?.[Symbol.dispose]()
  }

  async #look(first: boolean): Promise<void> {
    // Read before the content, so that a change in between is found by the next check.
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
    this.#log.info({ keys: entries.length }, 'key file loaded')
  }

  #notUnderstood(stamp: string | undefined, { message }: Error): void {
    this.#stamp = stamp
    this.#failed = 0
    this.#status = 'invalid'
    this.#log.error({ reason: message }, 'key file invalid, keys unchanged')
  }

  /** Handles a missing or unreadable file: a second failed check drops its keys. */
  #lost(code: string, first: boolean): void {
    this.#stamp = undefined
    if (SHORTAGES.has(code)) {
      if (!this.#short) this.#log.error({ code }, 'key file not read, keys unchanged')
      this.#short = true
      return
    }
    const status = code === 'ENOENT' ? 'missing' : 'unreadable'
    if (this.#status === status || ++this.#failed < FAILED_LOOKS) return
    this.#status = status
    this.#keys.keep([])
    if (status === 'missing' && first) this.#log.info({}, 'key file does not exist yet')
    else if (status === 'missing') this.#log.warn({}, 'key file deleted, keys revoked')
    if (status === 'unreadable')
      this.#log.error({ path: this.#file.path, code }, 'key file unreadable, keys revoked')
  }
}

/** Returns a short name for the version of a file with this `stamp`. */
export function revisionOf(stamp: string): string {
  return createHash('sha256').update(stamp).digest('hex').slice(0, 16)
}
