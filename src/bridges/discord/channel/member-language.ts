import type { LanguageId } from '../../../common/language.ts'
import { languageOfLocale } from '../../../messages/locale.ts'
import type { Preferences } from '../channel-interpreter.ts'
import type { LanguageFrom } from './member.ts'

export interface LanguageSources {
  /** Languages that users set in this channel, by user ID. */
  readonly asked: ReadonlyMap<string, LanguageId>
  readonly preferences: Pick<Preferences, 'language' | 'about'>
  /** Locale of the user's client (a Discord locale), if known. */
  readonly localeOf: (userId: string) => string | undefined
  readonly fallback: LanguageId
  /** Maps a guessed language to a language that can be translated. */
  readonly nearest: (language: LanguageId) => LanguageId
}

/** Returns a user's language: set here, stored earlier, guessed from the client, or the guild's. */
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
