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
