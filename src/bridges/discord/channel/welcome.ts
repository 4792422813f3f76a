import type { Announcer } from '../../../core/announcer.ts'
import type { Clock } from '../../../core/clock.ts'
import type { LanguageId } from '../../../core/languages.ts'
import type { Participant } from '../../../core/participant.ts'
import { escaped } from '../captions/escape.ts'
import { Greetings, languagesOf } from './greetings.ts'
import type { ChannelMember } from './member.ts'
import { VoiceNotices } from './voice-notices.ts'
import type { Writing } from './writing.ts'

/** Names in one greeting, and languages in which it is spoken. */
const NAMES_MOST = 10
const LANGUAGES_MOST = 3

export interface WelcomeParts {
  readonly announcer: Announcer
  readonly clock: Clock
  readonly writing: Pick<Writing, 'listening' | 'newcomers'>
  /** Whose voice says something in this language. */
  readonly ear: (language: LanguageId) => Participant | undefined
  /** Who started it, made harmless for a message. */
  readonly startedBy: () => string
  /** The channel, for a message. */
  readonly channel: () => string
}

/** Tells people, by word and in writing, that they are listened to: those who are there at the beginning, and whoever comes. */
export class Welcome implements Disposable {
  readonly #parts: WelcomeParts
  readonly #notices: VoiceNotices
  readonly #greetings: Greetings

  constructor(parts: WelcomeParts) {
    this.#parts = parts
    this.#notices = new VoiceNotices(parts.announcer, parts.clock, parts.ear)
    this.#greetings = new Greetings(parts.clock, newcomers => this.#greet(newcomers))
  }

  /** Whoever comes is not greeted any more. */
  [Symbol.dispose](): void {
    this.#greetings[Symbol.dispose]()
  }

  /** Writes it for everybody who is there; settles when it can be read. */
  write(members: readonly ChannelMember[]): Promise<void> {
    const { writing, startedBy, channel } = this.#parts
    this.#greetings.greeted(members)
    return writing.listening(words => words.listening(startedBy(), channel()))
  }

  /** Says it to everybody who is there. */
  say(members: readonly ChannelMember[]): void {
    this.#notices.say('channel-interpreted', spokenTo(members))
  }

  /** These are there now. */
  see(members: readonly ChannelMember[]): void {
    this.#greetings.see(members)
  }

  /** A telephone is there that was not. */
  phone(members: readonly ChannelMember[]): void {
    this.#notices.say('phone-joined', spokenTo(members))
  }

  /** The last words, to `members`; settles when they were heard, after `withinMs` at most. Nothing is said after them. */
  farewell(members: readonly ChannelMember[], withinMs: number): Promise<void> {
    return this.#notices.farewell(spokenTo(members), withinMs)
  }

  #greet(newcomers: readonly ChannelMember[]): void {
    const { writing, channel } = this.#parts
    const names = newcomers.slice(0, NAMES_MOST).map(({ name }) => escaped(name))
    void writing.newcomers(words => words.newcomers(names.join(', '), channel()))
    this.say(newcomers)
  }
}

function spokenTo(members: readonly ChannelMember[]): LanguageId[] {
  return languagesOf(members.filter(({ consents }) => consents)).slice(0, LANGUAGES_MOST)
}
