import { type Clock, Ticker } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { ApiKeys } from './api-keys.ts'
import type { KeyFile } from './key-file.ts'

/** How often the file is looked at (ms). Events of the file system would be sooner, but some never come. */
const PERIOD_MS = 500
/** The file must be missing this often in a row to be gone: some programs remove it before they write it anew. */
const GONE_AFTER = 2

/**
 * Keeps `keys` as the key file says. A file that cannot be understood changes nothing, and the log says so once; a file
 * that is gone has no keys.
 */
export class KeyWatch implements Disposable {
  readonly #file: KeyFile
  readonly #keys: ApiKeys
  readonly #log: Log
  readonly #ticker: Ticker
  #stamp: string | undefined
  #missing: number
  #busy = false

  private constructor(file: KeyFile, keys: ApiKeys, clock: Clock, log: Log, stamp: string | undefined) {
    this.#file = file
    this.#keys = keys
    this.#log = log
    this.#stamp = stamp
    this.#missing = stamp === undefined ? GONE_AFTER : 0
    this.#ticker = new Ticker(clock, PERIOD_MS, () => void this.check())
  }

  /** Reads the file, which need not exist yet, and goes on watching. Rejects with `CONFIG` when it is not understood. */
  static async start(file: KeyFile, keys: ApiKeys, clock: Clock, log: Log): Promise<KeyWatch> {
    const stamp = await file.stamp()
    const entries = await file.read()
    keys.keep(entries ?? [])
    log.info({ keys: entries?.length ?? 0 }, 'keys of the file in force')
    return new KeyWatch(file, keys, clock, log, stamp)
  }

  /** Looks at the file now. Never rejects. */
  async check(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    try {
      // Taken before reading: what changes meanwhile is seen at the next look.
      const stamp = await this.#file.stamp()
      if (stamp === undefined) this.#gone()
      else if (stamp !== this.#stamp) await this.#changed(stamp)
    } finally {
      this.#busy = false
    }
  }

  [Symbol.dispose](): void {
    this.#ticker[Symbol.dispose]()
  }

  #gone(): void {
    this.#stamp = undefined
    this.#missing++
    if (this.#missing !== GONE_AFTER) return
    this.#keys.keep([])
    this.#log.warn({}, 'the key file is gone, and its keys with it')
  }

  async #changed(stamp: string): Promise<void> {
    this.#stamp = stamp
    try {
      const entries = await this.#file.read()
      if (!entries) return
      this.#missing = 0
      this.#keys.keep(entries)
      this.#log.info({ keys: entries.length }, 'keys of the file in force')
    } catch (error) {
      this.#log.error(
        { reason: (error as Error).message },
        'key file not understood, the keys stay as they were',
      )
    }
  }
}
