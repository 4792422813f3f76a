/** Maximum number of pending marks; Twilio was observed to handle 70. */
const MAX_PENDING_NAMES = 1_000

/**
 * The marks of one stream. `clear` makes Twilio echo every outstanding mark at once, as if it had been played. Each
 * name therefore carries its generation; an echo of an older generation means dropped, not played.
 */
export class MarkRegistry {
  #generation = 0
  /** Outstanding wire names of this generation, with their counts. */
  readonly #pending = new Map<string, number>()

  /** Returns the wire name to send for `name`. */
  send(name: string): string {
    const wireName = `g${this.#generation}:${name}`
    this.#pending.set(wireName, (this.#pending.get(wireName) ?? 0) + 1)
    if (this.#pending.size > MAX_PENDING_NAMES) this.#forgetOldest()
    return wireName
  }

  /** Returns the name of the mark `wireName`, or undefined if it was flushed or is unknown. */
  heard(wireName: string): string | undefined {
    const count = this.#pending.get(wireName)
    if (count === undefined) return undefined
    if (count === 1) this.#pending.delete(wireName)
    else this.#pending.set(wireName, count - 1)
    return wireName.slice(wireName.indexOf(':') + 1)
  }

  /** Forgets all pending marks, which will not be played. */
  flush(): void {
    this.#generation++
    this.#pending.clear()
  }

  #forgetOldest(): void {
    const oldest = this.#pending.keys().next()
    if (!oldest.done) this.#pending.delete(oldest.value)
  }
}
