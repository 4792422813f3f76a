/** Marks waiting for their echo that are remembered. */
const MAX_PENDING = 1_000

/** The marks of one leg by the numbers they are sent under. What is flushed is forgotten: its echo, if there is one, is stale. */
export class Marks {
  readonly #pending = new Map<number, string>()
  #next = 1

  /** The number to send for `name`. */
  send(name: string): number {
    const id = this.#next++
    this.#pending.set(id, name)
    if (this.#pending.size > MAX_PENDING) this.#pending.delete(this.#pending.keys().next().value!)
    return id
  }

  /** The name that was marked if `id` was heard; nothing for the flushed and the unknown. */
  heard(id: number): string | undefined {
    const name = this.#pending.get(id)
    this.#pending.delete(id)
    return name
  }

  /** Everything sent so far will not be heard. */
  flush(): void {
    this.#pending.clear()
  }
}
