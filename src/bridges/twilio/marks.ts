/** Marks waiting for their echo that are remembered; Twilio was seen to hold 70 without harm. */
const MAX_PENDING = 1_000

/**
 * The marks of one stream. `clear` makes Twilio echo every outstanding mark at once, just as if it had been played,
 * so each name carries the generation it was sent in, and an echo of an older generation means dropped, not heard.
 */
export class Marks {
  #generation = 0
  /** Wire names of this generation, with how often each is outstanding. */
  readonly #pending = new Map<string, number>()

  /** Marks whose echo is still to come. */
  get pending(): number {
    return this.#pending.size
  }

  /** The name to send for `name`. */
  send(name: string): string {
    const wireName = `g${this.#generation}:${name}`
    this.#pending.set(wireName, (this.#pending.get(wireName) ?? 0) + 1)
    if (this.#pending.size > MAX_PENDING) this.#forgetOldest()
    return wireName
  }

  /** The name that was marked if `wireName` tells that it was heard; nothing for the flushed and the unknown. */
  heard(wireName: string): string | undefined {
    const count = this.#pending.get(wireName)
    if (count === undefined) return undefined
    if (count === 1) this.#pending.delete(wireName)
    else this.#pending.set(wireName, count - 1)
    return wireName.slice(wireName.indexOf(':') + 1)
  }

  /** Everything sent so far will not be heard. */
  flush(): void {
    this.#generation++
    this.#pending.clear()
  }

  #forgetOldest(): void {
    const oldest = this.#pending.keys().next()
    if (!oldest.done) this.#pending.delete(oldest.value)
  }
}
