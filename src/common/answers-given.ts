/** Maximum number of remembered responses. */
const MAX_RESPONSES = 1_000

/** Caches responses, so that a redelivered webhook is processed once. Evicts the oldest. */
export class AnswersGiven {
  readonly #answers = new Map<string, string>()

  /** Returns the cached response for `key`, or creates it with `make`. */
  once(key: string, make: () => string): string {
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    const answer = make()
    if (this.#answers.size >= MAX_RESPONSES) this.#answers.delete(this.#answers.keys().next().value!)
    this.#answers.set(key, answer)
    return answer
  }
}
