import type { LanguageId } from '../../../core/languages.ts'
import type { Preferences } from '../channel-interpreter.ts'
import { languageOfLocale } from '../words/locale.ts'
import type { LanguageFrom } from './member.ts'

export interface LanguageSources {
  /** What was asked for in this channel, by user id. */
  readonly asked: ReadonlyMap<string, LanguageId>
  readonly preferences: Pick<Preferences, 'language' | 'about'>
  /** What the user's client is set to, as far as it is known (a Discord locale). */
  readonly localeOf: (userId: string) => string | undefined
  readonly fallback: LanguageId
  /** A language that can be translated, for one that was only guessed. */
  readonly nearest: (language: LanguageId) => LanguageId
}

/** What a user speaks: as they said here or before, as their client is set, or as people of the guild do. */
export function languageOf(
  userId: string,
  { asked, preferences, localeOf, fallback, nearest }: LanguageSources,
): { readonly language: LanguageId; readonly languageFrom: LanguageFrom } {
  const said = asked.get(userId)
  if (said) return { language: said, languageFrom: 'asked' }
  const preferred = preferences.language(userId)
  if (preferred) {
    const { remembered } = preferences.about(userId)
    return { language: preferred, languageFrom: remembered ? 'remembered' : 'asked' }
  }
  const locale = localeOf(userId)
  if (locale) return { language: nearest(languageOfLocale(locale)), languageFrom: 'locale' }
  return { language: nearest(fallback), languageFrom: 'default' }
}
