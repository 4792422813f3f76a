/** Users whose locale is remembered; those who asked longest ago are forgotten first. */
const MOST = 10_000

/**
 * What the clients of users are set to. Discord tells only when they use a command, so it is kept, in memory alone, as the
 * best guess at what they speak.
 */
export class SeenLocales {
  readonly #locales = new Map<string, string>()

  saw(userId: string, locale: string): void {
    this.#locales.delete(userId)
    if (this.#locales.size >= MOST) this.#locales.delete(this.#locales.keys().next().value!)
    this.#locales.set(userId, locale)
  }

  of(userId: string): string | undefined {
    return this.#locales.get(userId)
  }

  forget(userId: string): void {
    this.#locales.delete(userId)
  }
}
