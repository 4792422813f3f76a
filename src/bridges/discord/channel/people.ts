import type { LanguageId } from '../../../core/languages.ts'
import type { Preferences } from '../channel-interpreter.ts'
import type { GuildView } from './guild-view.ts'
import type { ChannelMember } from './member.ts'
import { type LanguageSources, languageOf } from './member-language.ts'

export interface PeopleParts extends Omit<LanguageSources, 'asked'> {
  readonly view: Pick<GuildView, 'people'>
  readonly preferences: Preferences
}

/** Who is in a voice channel, what they speak, and whether they may be listened to. */
export class People {
  readonly #parts: PeopleParts
  readonly #asked = new Map<string, LanguageId>()
  /** What users said here; what they said elsewhere is in their preferences. */
  readonly #consents = new Map<string, boolean>()
  readonly #informed = new Set<string>()

  constructor(parts: PeopleParts) {
    this.#parts = parts
  }

  /** Everybody in the channel but bots. */
  in(channelId: string): ChannelMember[] {
    const sources = { ...this.#parts, asked: this.#asked }
    return this.#parts.view.people(channelId).map(person => ({
      ...person,
      ...languageOf(person.userId, sources),
      consents: this.consents(person.userId),
      informed: this.#informed.has(person.userId),
    }))
  }

  /** They were informed that people are listened to. */
  inform(members: readonly Pick<ChannelMember, 'userId'>[]): void {
    for (const { userId } of members) this.#informed.add(userId)
  }

  /** Forgets what the user said about themself here. A no holds until the end: it is not undone by asking to be forgotten. */
  forget(userId: string): void {
    this.#asked.delete(userId)
  }

  consents(userId: string): boolean {
    // A no counts wherever it was said.
    return (this.#consents.get(userId) ?? true) && !this.#parts.preferences.optedOut(userId)
  }

  setLanguage(userId: string, language: LanguageId): void {
    this.#asked.set(userId, language)
  }

  setConsent(userId: string, consents: boolean): void {
    this.#consents.set(userId, consents)
    // Only someone who knows what it is about can say yes.
    if (consents) this.#informed.add(userId)
  }

  /** Whether somebody said elsewhere what is not heeded here yet. */
  outdated(members: readonly ChannelMember[]): boolean {
    return members.some(({ userId, consents }) => consents !== this.consents(userId))
  }
}
