import type { LanguageId } from '../../../common/language.ts'
import type { Preferences } from '../channel-interpreter.ts'
import type { GuildView } from './guild-view.ts'
import type { ChannelMember } from './member.ts'
import { type LanguageSources, languageOf } from './member-language.ts'

export interface PeopleParts extends Omit<LanguageSources, 'asked'> {
  readonly view: Pick<GuildView, 'people'>
  readonly preferences: Preferences
}

/** The people in a voice channel, their languages, and whether listening to them is allowed. */
export class People {
  readonly #parts: PeopleParts
  readonly #asked = new Map<string, LanguageId>()
  /** Consents given in this channel; those given elsewhere are in the preferences. */
  readonly #consents = new Map<string, boolean>()
  readonly #informed = new Set<string>()

  constructor(parts: PeopleParts) {
    this.#parts = parts
  }

  /** Everyone in the channel except bots. */
  in(channelId: string): ChannelMember[] {
    const sources = { ...this.#parts, asked: this.#asked }
    return this.#parts.view.people(channelId).map(person => ({
      ...person,
      ...languageOf(person.userId, sources),
      consents: this.consents(person.userId),
      informed: this.#informed.has(person.userId),
    }))
  }

  /** Marks these members as notified of the listening. */
  inform(members: readonly Pick<ChannelMember, 'userId'>[]): void {
    for (const { userId } of members) this.#informed.add(userId)
  }

  /** Forgets the language that the user set in this channel. An opt-out stays until the end, even after this. */
  forget(userId: string): void {
    this.#asked.delete(userId)
  }

  consents(userId: string): boolean {
    // An opt-out counts in every channel.
    return (this.#consents.get(userId) ?? true) && !this.#parts.preferences.optedOut(userId)
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
    return members.some(({ userId, consents }) => consents !== this.consents(userId))
  }
}
