import { appendFile, writeFile } from 'node:fs/promises'
import type { TranscriptEntry } from './transcript.ts'

/** The first line of a file. */
export interface TranscriptHead {
  readonly id: string
  readonly room: string
  readonly openedAt: string
}

/** Maximum number of characters waiting for a slow disk. */
const MOST_WAITING = 4_000_000

/**
 * A transcript on disk, readable only by its owner (mode 0600): JSON lines, the head first, then entries as they
 * arrive. Writes are sequential. A disk error ends the file: `onFailure` is called once, and the call continues.
 */
export class TranscriptFile {
  readonly #path: string
  readonly #head: string
  readonly #onFailure: (error: unknown) => void
  #waiting = ''
  #begun = false
  /** The file holds what was to be forgotten. */
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
