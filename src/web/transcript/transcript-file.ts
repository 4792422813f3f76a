import { appendFile, writeFile } from 'node:fs/promises'
import type { TranscriptEntry } from './transcript.ts'

/** The first line of a file. */
export interface TranscriptHead {
  readonly id: string
  readonly room: string
  readonly openedAt: string
}

/** Characters that may wait for a disk that does not keep up. */
const MOST_WAITING = 4_000_000

/**
 * One transcript on the disk, for its owner's eyes only (mode 0600): JSON lines, the head first, then entries as they
 * come. One write at a time, in order. A disk that fails ends the file: `onFailure` is told once, and talk goes on.
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

  /** Begins again with nothing but the head. */
  clear(): void {
    this.#waiting = ''
    this.#stale = this.#begun
    this.#begun = false
    this.#pump()
  }

  /** Settles when everything is on the disk, or never will be. */
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
    // Not before there is something to keep: a silent room leaves no file.
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
