import type { Preferences } from '../../../../src/bridges/discord/channel-interpreter.ts'
import type { LanguageId } from '../../../../src/core/languages.ts'

/** Preferences that nobody keeps. */
export class MemoryPreferences implements Preferences {
  readonly #languages = new Map<string, { language: LanguageId; remember: boolean }>()
  readonly #out = new Set<string>()

  language(userId: string): LanguageId | undefined {
    return this.#languages.get(userId)?.language
  }

  setLanguage(userId: string, language: LanguageId, remember: boolean): void {
    this.#languages.set(userId, { language, remember })
  }

  optedOut(userId: string): boolean {
    return this.#out.has(userId)
  }

  setOptedOut(userId: string, out: boolean): void {
    if (out) this.#out.add(userId)
    else this.#out.delete(userId)
  }

  async forget(userId: string): Promise<void> {
    this.#languages.delete(userId)
    this.#out.delete(userId)
  }

  about(userId: string) {
    const known = this.#languages.get(userId)
    return {
      ...(known ? { language: known.language } : {}),
      remembered: known?.remember ?? false,
      optedOut: this.optedOut(userId),
    }
  }
}
