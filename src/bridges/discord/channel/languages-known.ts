import type { LanguageId } from '../../../core/languages.ts'
import type { Preferences } from '../channel-interpreter.ts'
import type { LanguageFrom } from './member.ts'

/** Users whose client's language is known. */
const KNOWN_MOST = 10_000

/** The languages of users' clients, as their interactions told. In memory, the last so many. */
export class ClientLanguages {
  readonly #known = new Map<string, LanguageId>()

  get(userId: string): LanguageId | undefined {
    return this.#known.get(userId)
  }

  set(userId: string, language: LanguageId): void {
    this.#known.delete(userId)
    this.#known.set(userId, language)
    if (this.#known.size > KNOWN_MOST) this.#known.delete(this.#known.keys().next().value!)
  }
}

/** What a user speaks: as they said, as they said before, as their client is set, or as people of the guild do. */
export function languageOf(
  userId: string,
  asked: ReadonlyMap<string, LanguageId>,
  preferences: Pick<Preferences, 'language' | 'about'>,
  clients: ClientLanguages,
  fallback: LanguageId,
): { readonly language: LanguageId; readonly languageFrom: LanguageFrom } {
  const said = asked.get(userId)
  if (said) return { language: said, languageFrom: 'asked' }
  const preferred = preferences.language(userId)
  if (preferred) {
    const languageFrom = preferences.about(userId).remembered ? 'remembered' : 'asked'
    return { language: preferred, languageFrom }
  }
  const client = clients.get(userId)
  if (client) return { language: client, languageFrom: 'locale' }
  return { language: fallback, languageFrom: 'default' }
}
