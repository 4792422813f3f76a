/** Keeps the newest items, and counts those not yet taken. */
export class Recent<T> {
  readonly #kept: number
  readonly #most: number
  #items: T[] = []
  #fresh: T[] = []
  #missed = 0

  /** Keeps the newest `kept`; `take()` returns at most the newest `most`. */
  constructor(kept: number, most = kept) {
    if (!(kept >= 1 && most >= 1)) throw new RangeError(`at least 1 is kept, got ${kept} and ${most}`)
    this.#kept = kept
    this.#most = most
  }

  add(item: T): void {
    this.#items.push(item)
    if (this.#items.length > this.#kept) this.#items.shift()
    this.#fresh.push(item)
    if (this.#fresh.length <= this.#most) return
    this.#fresh.shift()
    this.#missed++
  }

  /** All items kept, oldest first. */
  get all(): readonly T[] {
    return this.#items
  }

  /** Returns the items since the last call, and how many more there were. */
  take(): { readonly items: readonly T[]; readonly missed: number } {
    const taken = { items: this.#fresh, missed: this.#missed }
    this.#fresh = []
    this.#missed = 0
    return taken
  }
}
