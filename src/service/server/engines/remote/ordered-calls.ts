/**
 * Runs a few calls at a time and settles them in order, so that translations of one speaker never overtake each other,
 * however fast a server responds.
 */
export class OrderedCalls {
  readonly #most: number
  #running = 0
  #line: (() => void)[] = []
  #last: Promise<unknown> = Promise.resolve()

  /** Runs at most `most` calls at a time. */
  constructor(most: number) {
    this.#most = most
  }

  /** Number of running and waiting calls. */
  get size(): number {
    return this.#running + this.#line.length
  }

  run<T>(call: () => Promise<T>): Promise<T> {
    const before = this.#last
    const result = this.#start(call)
    const inTurn = before.then(() => result)
    // The caller handles a failure; later calls only wait for it to settle.
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
