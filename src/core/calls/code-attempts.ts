/** An attempt that counts as a wrong code; settled once. */
export interface CodeGuess {
  /** The code was right, or could not be checked: it does not count. */
  right(): void
  wrong(): void
}

/** Limits wrong room codes. */
export interface CodeLimiter {
  /** Returns whether `who` can try a code now. */
  mayTry(who: string): boolean
  /** Reserves an attempt of `who`; undefined above a limit. */
  begin(who: string): CodeGuess | undefined
}

/** Room of a code, if it is valid. `refused`: too many wrong codes, this one was not looked up. */
export interface CodeAttempt {
  readonly room: string | undefined
  readonly refused: boolean
}

/** Looks up room codes within the limits of wrong ones. */
export class CodeAttempts {
  readonly #roomOf: (code: string) => Promise<string | undefined>
  readonly #limiter: Pick<CodeLimiter, 'begin'> | undefined

  /** `roomOf` returns the room of a valid code. Without `limiter`, guessing is not limited. */
  constructor(
    roomOf: (code: string) => Promise<string | undefined>,
    limiter: Pick<CodeLimiter, 'begin'> | undefined,
  ) {
    this.#roomOf = roomOf
    this.#limiter = limiter
  }

  /** Tries `code` for `who`. Rejects like `roomOf`; the code then does not count as wrong. */
  async find(who: string, code: string): Promise<CodeAttempt> {
    const guess = this.#limiter?.begin(who)
    if (this.#limiter && !guess) return { room: undefined, refused: true }
    let room: string | undefined
    try {
      room = await this.#roomOf(code)
    } catch (error) {
      guess?.right()
      throw error
    }
    if (room === undefined) guess?.wrong()
    else guess?.right()
    return { room, refused: false }
  }
}
