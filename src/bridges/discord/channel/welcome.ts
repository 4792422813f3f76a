import { after, type Clock } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import type { Announcer } from '../../../core/model/announcer.ts'
import type { Participant } from '../../../core/room/participant.ts'
import { escaped } from '../captions/markdown.ts'
import { Greetings, languagesOf } from './greetings.ts'
import type { ChannelMember } from './member.ts'
import { VoiceNotices } from './voice-notices.ts'
import type { Writing } from './writing.ts'

/** Maximum number of names in one greeting, and of languages in which it is spoken. */
const NAMES_MOST = 10
const LANGUAGES_MOST = 3
/** Interval (ms) and maximum number of attempts to post a notice. */
const RETRY_MS = 2_000
const TRIES_MOST = 3

export interface WelcomeParts {
  readonly announcer: Announcer
  readonly clock: Clock
  readonly writing: Pick<Writing, 'listening' | 'newcomers'>
  /** The leg that speaks this language. */
  readonly ear: (language: LanguageId) => Participant | undefined
  /** User who started interpreting, escaped for a message. */
  readonly startedBy: () => string
  /** The channel as a mention. */
  readonly channel: () => string
  /** Called when the notice for `members` is posted: listening to them is now allowed. */
  readonly informed: (members: readonly ChannelMember[]) => void
}

/** Notifies people of the listening, spoken and in writing: those present at the start, and newcomers. */
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

  /** Stops notifying newcomers. */
  [Symbol.dispose](): void {
    this.#over = true
    this.#retry?.[Symbol.dispose]()
    this.#greetings[Symbol.dispose]()
  }

  /** Posts the notice for all members, in each member's language. Settles when it is visible. */
  write(members: readonly ChannelMember[]): Promise<void> {
    const { writing, startedBy, channel } = this.#parts
    this.#greetings.greeted(members)
    return this.#inform(members, () =>
      writing.listening(words => words.listening(startedBy(), channel()), languagesOf(members)),
    )
  }

  /** Plays the notice to all speakers. `moved`: the bot is in another channel, where it was not played yet. */
  say(members: readonly ChannelMember[], { moved = false } = {}): void {
    if (moved) this.#notices.forget('channel-interpreted')
    this.#notices.say('channel-interpreted', spokenTo(members))
  }

  /** Updates the members present. */
  see(members: readonly ChannelMember[]): void {
    this.#greetings.see(members)
  }

  /** Announces a phone that joined. */
  phone(members: readonly ChannelMember[]): void {
    this.#notices.say('phone-joined', spokenTo(members))
  }

  /** Plays the goodbye to `members`. Settles after playback, or after at most `withinMs`. No notices follow it. */
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
   * Settles after the first attempt. If the notice cannot be posted at all, the spoken notice and the bot's nickname
   * inform the members, so that no one is excluded permanently.
   */
  async #inform(members: readonly ChannelMember[], post: () => Promise<boolean>, tries = 1): Promise<void> {
    const posted = await post()
    if (this.#over) return
    if (posted || tries >= TRIES_MOST) this.#parts.informed(members)
    else this.#retry = after(this.#parts.clock, RETRY_MS, () => void this.#inform(members, post, tries + 1))
  }
}

function spokenTo(members: readonly ChannelMember[]): LanguageId[] {
  return languagesOf(members.filter(({ consents, speaks }) => consents && speaks)).slice(0, LANGUAGES_MOST)
}
