import type { LanguageId } from '../../../common/language.ts'
import { languageOfLocale } from '../../../messages/locale.ts'
import { type ConsentOptions, type Exclusion, exclusionOf } from '../consent.ts'
import type { ChannelSpeaker, Preferences } from '../contract.ts'
import type { GuildView, SeenPerson } from './guild-view.ts'

/** Source of a member's language. */
type LanguageFrom = ChannelSpeaker['languageFrom']

/** A person in the voice channel. */
export interface ChannelMember {
  readonly userId: string
  /** Name in the guild: 1 to 64 characters, without control characters. */
  readonly name: string
  readonly language: LanguageId
  /** Source of the language. */
  readonly languageFrom: LanguageFrom
  /** False: they are not listened to. */
  readonly consents: boolean
  /** Why not. */
  readonly excludedBy: Exclusion | undefined
  /** The notice was posted for them. Listening starts only then. */
  readonly informed: boolean
  /** False in the audience of a stage, where members are inaudible. */
  readonly speaks: boolean
  readonly roleIds: readonly string[]
}

export interface PeopleOptions {
  readonly view: Pick<GuildView, 'people'>
  readonly preferences: Preferences
  /** Locale of the user's client (a Discord locale), if known. */
  readonly localeOf: (userId: string) => string | undefined
  /** Language of members who set none. */
  readonly fallback: LanguageId
  /** Maps a guessed language to a language that can be translated. */
  readonly nearest: (language: LanguageId) => LanguageId
  readonly consent: ConsentOptions
}

/** The people in a voice channel, their languages, and whether listening to them is allowed. */
export class People {
  readonly #options: PeopleOptions
  /** Languages that users set in this channel. */
  readonly #languages = new Map<string, LanguageId>()
  /** Consents given in this channel; those given elsewhere are in the preferences. */
  readonly #consents = new Map<string, boolean>()
  readonly #informed = new Set<string>()

  constructor(options: PeopleOptions) {
    this.#options = options
  }

  /** Everyone in the channel except bots. */
  in(channelId: string): ChannelMember[] {
    return this.#options.view.people(channelId).map(person => {
      const excludedBy = this.#excludedBy(person)
      return {
        ...person,
        ...this.#languageOf(person.userId),
        consents: excludedBy === undefined,
        excludedBy,
        informed: this.#informed.has(person.userId),
      }
    })
  }

  /** The language of a user, who need not be in the channel. */
  languageOf(userId: string): LanguageId {
    return this.#languageOf(userId).language
  }

  /** Marks these members as notified of the listening. */
  inform(members: readonly Pick<ChannelMember, 'userId'>[]): void {
    for (const { userId } of members) this.#informed.add(userId)
  }

  /** Forgets the language that the user set in this channel. An opt-out stays until the end, even after this. */
  forget(userId: string): void {
    this.#languages.delete(userId)
  }

  /** Returns whether the user opted out, here or in general. */
  refuses(userId: string): boolean {
    return this.#consents.get(userId) === false || this.#options.preferences.optedOut(userId)
  }

  setLanguage(userId: string, language: LanguageId): void {
    this.#languages.set(userId, language)
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

  /** Set here, stored earlier, guessed from the client, or the guild's. */
  #languageOf(userId: string): Pick<ChannelMember, 'language' | 'languageFrom'> {
    const { preferences, localeOf, fallback, nearest } = this.#options
    const set = this.#languages.get(userId)
    if (set) return { language: set, languageFrom: 'asked' }
    const preferred = preferences.language(userId)
    if (preferred) {
      const { remembered } = preferences.about(userId)
      return { language: preferred, languageFrom: remembered ? 'remembered' : 'asked' }
    }
    const locale = localeOf(userId)
    if (locale) return { language: nearest(languageOfLocale(locale)), languageFrom: 'locale' }
    return { language: nearest(fallback), languageFrom: 'default' }
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
