/** A limited number of places for requests; who comes later waits, in order. */
export class Places {
  readonly #count: number
  #taken = 0
  readonly #line: (() => void)[] = []

  constructor(count: number) {
    this.#count = count
  }

  /** Number of those who have a place or wait for one. */
  get users(): number {
    return this.#taken + this.#line.length
  }

  /** Resolves with a place, which is free again once it is disposed. */
  async take(): Promise<Disposable> {
    if (this.#taken < this.#count) this.#taken++
    else await new Promise<void>(resolve => this.#line.push(resolve))
    return {
      [Symbol.dispose]: () => {
        const next = this.#line.shift()
        if (next) next()
        else this.#taken--
      },
    }
  }
}
