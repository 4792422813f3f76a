import type { Notice } from './notice-board.ts'

/** Delay before an outage is announced (ms): most broken connections recover sooner. */
const AFTER_MS = 3_000

/** Posts notices that can be changed later. */
export interface Amendable {
  /** Resolves with a function that changes the notice, or undefined if it could not be posted. */
  post(notice: Notice): Promise<((notice: Notice) => Promise<void>) | undefined>
}

/** Posts a notice for each outage of the service, and updates it after the recovery. */
export class OutageNotice {
  readonly #board: Amendable
  #since: number | undefined
  #posted: ReturnType<Amendable['post']> | undefined

  constructor(board: Amendable) {
    this.#board = board
  }

  /** Updates the state at `now` (clock ms). */
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
