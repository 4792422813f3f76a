/** Maximum number of remembered responses. */
const MAX_RESPONSES = 1_000

/** Caches responses, so that a redelivered webhook is processed once. Evicts the oldest. */
export class BoundedMap<T> {
  readonly #answers = new Map<string, T>()

  /** Returns the cached response for `key`, or creates it with `make`. */
  once(key: string, make: () => T): T {
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    const answer = make()
    if (this.#answers.size >= MAX_RESPONSES) this.#answers.delete(this.#answers.keys().next().value!)
    this.#answers.set(key, answer)
    return answer
  }
}

/** Maximum number of users; the least recently seen one is dropped first. */
const MAX_LOCALES = 10_000

/**
 * Locales of users' clients. Discord reports them only with commands, so they are kept, in memory only, as the best
 * guess of the user's language.
 */
export class SeenLocales {
  readonly #locales = new Map<string, string>()

  saw(userId: string, locale: string): void {
    this.#locales.delete(userId)
    if (this.#locales.size >= MAX_LOCALES) this.#locales.delete(this.#locales.keys().next().value!)
    this.#locales.set(userId, locale)
  }

  of(userId: string): string | undefined {
    return this.#locales.get(userId)
  }

  forget(userId: string): void {
    this.#locales.delete(userId)
  }
}
