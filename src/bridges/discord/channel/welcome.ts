import type { Announcer } from '../../../core/announcer.ts'
import { after, type Clock } from '../../../core/clock.ts'
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
/** A notice that could not be posted is tried again after this (ms), so many times in all. */
const AGAIN_MS = 2_000
const TRIES_MOST = 3

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
  /** The notice for `members` is posted: they may be listened to from now on. */
  readonly informed: (members: readonly ChannelMember[]) => void
}

/** Tells people, by word and in writing, that they are listened to: those who are there at the beginning, and whoever comes. */
export class Welcome implements Disposable {
  readonly #parts: WelcomeParts
  readonly #notices: VoiceNotices
  readonly #greetings: Greetings
  #retry: Disposable | undefined
  #over = false

  constructor(parts: WelcomeParts) {
    this.#parts = parts
    this.#notices = new VoiceNotices(parts.announcer, parts.clock, parts.ear)
    this.#greetings = new Greetings(parts.clock, newcomers => this.#greet(newcomers))
  }

  /** Newcomers are not informed any more. */
  [Symbol.dispose](): void {
    this.#over = true
    this.#retry?.[Symbol.dispose]()
    this.#greetings[Symbol.dispose]()
  }

  /** Posts the notice for all members, in the language of each; settles when it can be read. */
  write(members: readonly ChannelMember[]): Promise<void> {
    const { writing, startedBy, channel } = this.#parts
    this.#greetings.greeted(members)
    return this.#inform(members, () =>
      writing.listening(words => words.listening(startedBy(), channel()), languagesOf(members)),
    )
  }

  /** Says it to all who speak. `moved`: in another channel, where nobody has heard it. */
  say(members: readonly ChannelMember[], { moved = false } = {}): void {
    if (moved) this.#notices.forget('channel-interpreted')
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
    void this.#inform(newcomers, () =>
      writing.newcomers(words => words.newcomers(names.join(', '), channel()), languagesOf(newcomers)),
    )
    this.say(newcomers)
  }

  /**
   * Settles after the first attempt. Where the notice cannot be posted at all, the spoken one and the bot's name are what
   * informs, and nobody is left out for good.
   */
  async #inform(members: readonly ChannelMember[], post: () => Promise<boolean>, tries = 1): Promise<void> {
    const posted = await post()
    if (this.#over) return
    if (posted || tries >= TRIES_MOST) this.#parts.informed(members)
    else this.#retry = after(this.#parts.clock, AGAIN_MS, () => void this.#inform(members, post, tries + 1))
  }
}

function spokenTo(members: readonly ChannelMember[]): LanguageId[] {
  return languagesOf(members.filter(({ consents, speaks }) => consents && speaks)).slice(0, LANGUAGES_MOST)
}
