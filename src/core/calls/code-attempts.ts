/** Limits wrong room codes. */
export interface CodeLimiter {
  /** Returns whether `who` can try a code now. */
  mayTry(who: string): boolean
  /** Counts a wrong code of `who`. */
  wrong(who: string): void
}

/** Room of a code, if it is valid. `refused`: too many wrong codes, this one was not looked up. */
export interface CodeAttempt {
  readonly room: string | undefined
  readonly refused: boolean
}

/**
 * Looks up room codes within the limits of wrong ones. Codes from the same source are looked up one after another, so
 * that parallel guesses are limited like successive ones.
 */
export class CodeAttempts {
  readonly #roomOf: (code: string) => Promise<string | undefined>
  readonly #limiter: CodeLimiter | undefined
  /** The last attempt of each source, while it is in progress. */
  readonly #last = new Map<string, Promise<CodeAttempt>>()

  /** `roomOf` returns the room of a valid code. Without `limiter`, guessing is not limited. */
  constructor(roomOf: (code: string) => Promise<string | undefined>, limiter: CodeLimiter | undefined) {
    this.#roomOf = roomOf
    this.#limiter = limiter
  }

  /** Tries `code` for `who`. Rejects like `roomOf`; the code then does not count as wrong. */
  find(who: string, code: string): Promise<CodeAttempt> {
    const before = this.#last.get(who)
    const attempt: Promise<CodeAttempt> = before
      ? before.then(
          () => this.#try(who, code),
          () => this.#try(who, code),
        )
      : this.#try(who, code)
    this.#last.set(who, attempt)
    const forget = () => {
      if (this.#last.get(who) === attempt) this.#last.delete(who)
    }
    void attempt.then(forget, forget)
    return attempt
  }

  async #try(who: string, code: string): Promise<CodeAttempt> {
    if (this.#limiter?.mayTry(who) === false) return { room: undefined, refused: true }
    const room = await this.#roomOf(code)
    if (room === undefined) this.#limiter?.wrong(who)
    return { room, refused: false }
  }
}
