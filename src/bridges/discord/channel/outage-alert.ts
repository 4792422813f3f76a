import type { Amend, Notice } from './notices.ts'

/** Delay before an outage is announced (ms). Most broken connections recover within it. */
const AFTER_MS = 3_000

/** Posts a notice for each outage of the service, and updates it after the recovery. */
export class OutageAlert {
  readonly #post: (notice: Notice) => Promise<Amend | undefined>
  #since: number | undefined
  #posted: Promise<Amend | undefined> | undefined

  /** `post` resolves with a function that changes the notice, or undefined if it could not be posted. */
  constructor(post: (notice: Notice) => Promise<Amend | undefined>) {
    this.#post = post
  }

  /** Updates the state at `now` (clock ms). `names`: who speaks untranslated; undefined: everybody would. */
  update(names: readonly string[] | undefined, now: number): void {
    if (names?.length !== 0) {
      this.#since ??= now
      if (now - this.#since >= AFTER_MS)
        this.#posted ??= this.#post(words =>
          names ? words.untranslated(names.join(', ')) : words.serviceUnavailable,
        )
      return
    }
    this.#since = undefined
    const posted = this.#posted
    this.#posted = undefined
    void posted?.then(amend => amend?.(words => words.serviceBack))
  }
}
