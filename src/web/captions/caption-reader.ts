import type { CaptionFilter } from './caption-filter.ts'

/** Destination of a reader’s events: an open response. */
export interface CaptionOutlet {
  write(text: string): void
  /** Bytes written and not yet accepted by the network. */
  readonly unread: number
  /** Ends the response normally. */
  end(): void
  /** Closes the connection. */
  destroy(): void
}

/** Maximum number of unread bytes: minutes of speech. */
const MOST_UNREAD = 65_536

/** A reader of a room’s captions. */
export class CaptionReader {
  readonly filter: CaptionFilter
  readonly #outlet: CaptionOutlet

  constructor(outlet: CaptionOutlet, filter: CaptionFilter) {
    this.#outlet = outlet
    this.filter = filter
  }

  /** Returns false if the reader does not read: it was disconnected, and reconnects automatically with its last ID. */
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
