import type { LanguageId } from '../../../common/language.ts'
import { languageOfLocale } from '../../../messages/locale.ts'
import type { Preferences } from '../channel-interpreter.ts'
import { type ConsentOptions, type Exclusion, exclusionOf } from '../consent.ts'
import type { ChannelMember, GuildView, LanguageFrom, SeenPerson } from './guild-view.ts'

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

export interface PeopleOptions extends Omit<LanguageSources, 'asked'> {
  readonly view: Pick<GuildView, 'people'>
  readonly preferences: Preferences
  readonly consent: ConsentOptions
}

/** The people in a voice channel, their languages, and whether listening to them is allowed. */
export class People {
  readonly #options: PeopleOptions
  readonly #asked = new Map<string, LanguageId>()
  /** Consents given in this channel; those given elsewhere are in the preferences. */
  readonly #consents = new Map<string, boolean>()
  readonly #informed = new Set<string>()

  constructor(options: PeopleOptions) {
    this.#options = options
  }

  /** Everyone in the channel except bots. */
  in(channelId: string): ChannelMember[] {
    const sources = { ...this.#options, asked: this.#asked }
    return this.#options.view.people(channelId).map(person => {
      const excludedBy = this.#excludedBy(person)
      return {
        ...person,
        ...languageOf(person.userId, sources),
        consents: excludedBy === undefined,
        excludedBy,
        informed: this.#informed.has(person.userId),
      }
    })
  }

  /** The language of a user, who need not be in the channel. */
  languageOf(userId: string): LanguageId {
    return languageOf(userId, { ...this.#options, asked: this.#asked }).language
  }

  /** Marks these members as notified of the listening. */
  inform(members: readonly Pick<ChannelMember, 'userId'>[]): void {
    for (const { userId } of members) this.#informed.add(userId)
  }

  /** Forgets the language that the user set in this channel. An opt-out stays until the end, even after this. */
  forget(userId: string): void {
    this.#asked.delete(userId)
  }

  /** Returns whether the user opted out, here or in general. */
  refuses(userId: string): boolean {
    return this.#consents.get(userId) === false || this.#options.preferences.optedOut(userId)
  }

  setLanguage(userId: string, language: LanguageId): void {
    this.#asked.set(userId, language)
  }

  setConsent(userId: string, consents: boolean): void {
    this.#consents.set(userId, consents)
    // Opting in implies being informed.
    if (consents) this.#informed.add(userId)
  }

  /** Returns whether a consent has changed elsewhere. */
  outdated(members: readonly ChannelMember[]): boolean {
    return members.some(member => member.excludedBy !== this.#excludedBy(member))
  }

  #excludedBy({ userId, roleIds }: Pick<SeenPerson, 'userId' | 'roleIds'>): Exclusion | undefined {
    const { consent: options } = this.#options
    return exclusionOf({
      options,
      // An opt-out counts in every channel.
      optedOut: this.refuses(userId),
      optedIn: this.#consents.get(userId) === true,
      roleIds,
    })
  }
}
