/** An event as it is sent; IDs ascend within a ring. */
export interface RingEntry<T> {
  readonly number: number
  readonly value: T
}

/** Events for a reader that reconnects. */
export interface Replay<T> {
  /** Unseen entries have been dropped. */
  readonly missed: boolean
  readonly entries: readonly RingEntry<T>[]
}

/**
 * The latest events of a room, for late and reconnecting readers. A newer event replaces the older one with the same
 * key, so that growing captions are sent once. Above `most`, the oldest are dropped.
 */
export class CaptionRing<T> {
  readonly #most: number
  readonly #entries = new Map<string, RingEntry<T>>()
  #number = 0
  /** Highest number dropped because of the limit. */
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

  /** Returns the events after `number`; 0 returns all, with `missed` false. */
  since(number: number): Replay<T> {
    const entries = Array.from(this.#entries.values()).filter(entry => entry.number > number)
    return { missed: number > 0 && number < this.#forgotten, entries }
  }

  clear(): void {
    this.#entries.clear()
  }
}
