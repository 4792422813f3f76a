import type { Notice } from './notice-board.ts'

/** Away for so long, it is told (ms): most connections that break are back sooner. */
const AFTER_MS = 3_000

/** Writes something that can be changed later. */
export interface Amendable {
  /** Settles with how to change it; undefined where it could not be written. */
  post(notice: Notice): Promise<((notice: Notice) => Promise<void>) | undefined>
}

/** Tells readers that the service is out of reach, once for each time, and changes that message when it is back. */
export class OutageNotice {
  readonly #board: Amendable
  #since: number | undefined
  #posted: ReturnType<Amendable['post']> | undefined

  constructor(board: Amendable) {
    this.#board = board
  }

  /** How it is at `now` (clock ms). */
  look(away: boolean, now: number): void {
    if (away) {
      this.#since ??= now
      if (now - this.#since >= AFTER_MS) this.#posted ??= this.#board.post(words => words.serviceAway)
      return
    }
    this.#since = undefined
    const posted = this.#posted
    this.#posted = undefined
    void posted?.then(amend => amend?.(words => words.serviceBack))
  }
}
