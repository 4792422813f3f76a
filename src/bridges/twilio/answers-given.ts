/** Requests at a time whose answers are remembered. */
const MOST = 1_000

/** What was answered to which request, so that one delivered twice is worked on once. The oldest are forgotten. */
export class AnswersGiven {
  readonly #answers = new Map<string, string>()

  /** The answer given to `key` before, else the one that `make` makes now. */
  once(key: string, make: () => string): string {
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    const answer = make()
    if (this.#answers.size >= MOST) this.#answers.delete(this.#answers.keys().next().value!)
    this.#answers.set(key, answer)
    return answer
  }
}
