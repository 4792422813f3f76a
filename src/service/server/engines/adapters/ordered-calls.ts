/**
 * Runs a few calls at a time and settles them in the order in which they were asked for, so that translations of one
 * speaker never overtake each other however fast a server answers.
 */
export class OrderedCalls {
  readonly #most: number
  #running = 0
  #line: (() => void)[] = []
  #last: Promise<unknown> = Promise.resolve()

  /** At most `most` run at a time. */
  constructor(most: number) {
    this.#most = most
  }

  /** Calls that run or wait. */
  get size(): number {
    return this.#running + this.#line.length
  }

  run<T>(call: () => Promise<T>): Promise<T> {
    const before = this.#last
    const result = this.#start(call)
    const inTurn = before.then(() => result)
    // A failure is the caller's; those behind only wait for it to be over.
    this.#last = Promise.allSettled([before, result])
    result.catch(() => {})
    return inTurn
  }

  async #start<T>(call: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await new Promise<void>(resolve => this.#line.push(resolve))
    else this.#running++
    try {
      return await call()
    } finally {
      const next = this.#line.shift()
      if (next) next()
      else this.#running--
    }
  }
}
