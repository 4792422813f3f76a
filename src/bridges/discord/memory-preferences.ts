import type { LanguageId } from '../../common/language.ts'
import type { Preferences } from './channel-interpreter.ts'

/** Users' settings in memory, until the process ends, for installations that store nothing. */
export class MemoryPreferences implements Preferences {
  readonly #languages = new Map<string, LanguageId>()
  readonly #optedOut = new Set<string>()

  language(userId: string): LanguageId | undefined {
    return this.#languages.get(userId)
  }

  setLanguage(userId: string, language: LanguageId): void {
    this.#languages.set(userId, language)
  }

  optedOut(userId: string): boolean {
    return this.#optedOut.has(userId)
  }

  setOptedOut(userId: string, out: boolean): void {
    if (out) this.#optedOut.add(userId)
    else this.#optedOut.delete(userId)
  }

  async forget(userId: string): Promise<void> {
    this.#languages.delete(userId)
    this.#optedOut.delete(userId)
  }

  about(userId: string): ReturnType<Preferences['about']> {
    const language = this.#languages.get(userId)
    return { ...(language ? { language } : {}), remembered: false, optedOut: this.optedOut(userId) }
  }
}
