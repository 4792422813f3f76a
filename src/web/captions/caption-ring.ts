/** One event as it is sent: ids ascend within a ring. */
export interface RingEntry<T> {
  readonly number: number
  readonly value: T
}

/** What somebody gets who was away. */
export interface Replay<T> {
  /** Entries they have not seen are gone. */
  readonly missed: boolean
  readonly entries: readonly RingEntry<T>[]
}

/**
 * The latest events of a room, for those who come late or come back. A newer event of the same key takes the place of the
 * older one, so that captions that were still growing are not told twice; beyond `most` the oldest are forgotten.
 */
export class CaptionRing<T> {
  readonly #most: number
  readonly #entries = new Map<string, RingEntry<T>>()
  #number = 0
  /** The highest number that was forgotten for want of room. */
  #forgotten = 0

  constructor(most: number) {
    if (!(most >= 1)) throw new RangeError(`a ring holds at least 1 event, got ${most}`)
    this.#most = most
  }

  get size(): number {
    return this.#entries.size
  }

  push(key: string, value: T): RingEntry<T> {
    const entry = { number: ++this.#number, value }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    if (this.#entries.size > this.#most) {
      const [oldest, { number }] = this.#entries.entries().next().value!
      this.#entries.delete(oldest)
      this.#forgotten = number
    }
    return entry
  }

  /** What came after `number`; 0 for all there is, of which nothing counts as missed. */
  since(number: number): Replay<T> {
    const entries = Array.from(this.#entries.values()).filter(entry => entry.number > number)
    return { missed: number > 0 && number < this.#forgotten, entries }
  }

  clear(): void {
    this.#entries.clear()
  }
}
