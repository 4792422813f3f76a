import type { CaptionFilter } from './caption-filter.ts'

/** Where one reader's events go: a response that stays open. */
export interface CaptionOutlet {
  write(text: string): void
  /** Bytes that were written and not taken by the network yet. */
  readonly unread: number
  /** Ends it in the ordinary way. */
  end(): void
  /** Cuts it off. */
  destroy(): void
}

/** Bytes that may wait for a reader: minutes of talk. */
const MOST_UNREAD = 65_536

/** Somebody who reads the captions of a room. */
export class CaptionReader {
  readonly filter: CaptionFilter
  readonly #outlet: CaptionOutlet

  constructor(outlet: CaptionOutlet, filter: CaptionFilter) {
    this.#outlet = outlet
    this.filter = filter
  }

  /** False when the reader does not read: it was cut off, and comes back by itself, by the last id it got. */
  write(text: string): boolean {
    if (this.#outlet.unread > MOST_UNREAD) {
      this.#outlet.destroy()
      return false
    }
    this.#outlet.write(text)
    return true
  }

  end(): void {
    this.#outlet.end()
  }
}
