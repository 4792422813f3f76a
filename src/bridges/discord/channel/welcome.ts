import { type Clock, setTimer } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import type { Announcer } from '../../../core/model/announcer.ts'
import type { Participant } from '../../../core/room/participant.ts'
import { escaped } from '../captions/caption-format.ts'
import { listeningNotice, type NoticeTerms, newcomersNotice } from './notice-terms.ts'
import type { ChannelNotices } from './notices.ts'
import type { ChannelMember } from './people.ts'
import { VoiceNotices } from './voice-notices.ts'

/** People who join within this time are informed together (ms). Listening waits for the notice, so it is short. */
const TOGETHER_MS = 250
/** Minimum interval between notices to newcomers (ms): captions need most of Discord's rate limit. */
const EVERY_MS = 3_000

/**
 * Decides when people are notified of the listening: each person once, together with others who join at the same time,
 * and never in quick succession.
 */
export class Greetings implements Disposable {
  readonly #clock: Clock
  readonly #greet: (newcomers: readonly ChannelMember[]) => void
  readonly #greeted = new Set<string>()
  #waiting = new Map<string, ChannelMember>()
  #lastAt = Number.NEGATIVE_INFINITY
  #timer: Disposable | undefined

  /** `greet` is called with the members to notify. */
  constructor(clock: Clock, greet: (newcomers: readonly ChannelMember[]) => void) {
    this.#clock = clock
    this.#greet = greet
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    this.#waiting.clear()
  }

  /** Marks these members as notified. */
  greeted(members: readonly ChannelMember[]): void {
    for (const { userId } of members) this.#greeted.add(userId)
  }

  /** Updates the members present. Members who opted out, or cannot be listened to, are not notified. */
  see(members: readonly ChannelMember[]): void {
    const present = new Map(members.map(member => [member.userId, member]))
    this.#waiting = new Map(Array.from(this.#waiting).filter(([userId]) => present.has(userId)))
    for (const [userId, member] of present)
      if (isConcerned(member) && !member.informed && !this.#greeted.has(userId))
        this.#waiting.set(userId, member)
    if (this.#waiting.size === 0) return
    const now = this.#clock.now()
    const wait = Math.max(TOGETHER_MS, this.#lastAt + EVERY_MS - now)
    this.#timer ??= setTimer(this.#clock, wait, () => {
      this.#timer = undefined
      const newcomers = Array.from(this.#waiting.values())
      this.#waiting.clear()
      if (newcomers.length === 0) return
      this.greeted(newcomers)
      this.#lastAt = this.#clock.now()
      this.#greet(newcomers)
    })
  }
}

/** Returns whether they are listened to, or would be after opting in. */
function isConcerned({ consents, excludedBy }: ChannelMember): boolean {
  return consents || excludedBy === 'not-opted-in'
}

/** Returns the languages of `members`, most common first. */
export function languagesOf(members: readonly ChannelMember[]): LanguageId[] {
  const count = new Map<LanguageId, number>()
  for (const { language } of members) count.set(language, (count.get(language) ?? 0) + 1)
  return Array.from(count)
    .sort(([, a], [, b]) => b - a)
    .map(([language]) => language)
}

/** Maximum number of names in one greeting, and of languages in which it is spoken. */
const NAMES_MOST = 10
const LANGUAGES_MOST = 3
/** Interval (ms) and maximum number of attempts to post a notice. */
const RETRY_MS = 2_000
const TRIES_MOST = 3

export interface WelcomeOptions {
  readonly announcer: Announcer
  readonly clock: Clock
  readonly notices: Pick<ChannelNotices, 'listening' | 'newcomers'>
  /** The leg that speaks this language. */
  readonly output: (language: LanguageId) => Participant | undefined
  /** User who started interpreting, escaped for a message. */
  readonly startedBy: () => string
  /** The channel as a mention. */
  readonly channel: () => string
  readonly terms: NoticeTerms
  /** Called when the notice for `members` is posted: listening to them is now allowed. */
  readonly informed: (members: readonly ChannelMember[]) => void
}

/** Notifies people of the listening, spoken and in writing: those present at the start, and newcomers. */
export class Welcome implements Disposable {
  readonly #options: WelcomeOptions
  readonly #spoken: VoiceNotices
  readonly #greetings: Greetings
  #retry: Disposable | undefined
  #over = false

  constructor(options: WelcomeOptions) {
    this.#options = options
    this.#spoken = new VoiceNotices(options.announcer, options.clock, options.output)
    this.#greetings = new Greetings(options.clock, newcomers => this.#greet(newcomers))
  }

  /** Stops notifying newcomers. */
  [Symbol.dispose](): void {
    this.#over = true
    this.#retry?.[Symbol.dispose]()
    this.#greetings[Symbol.dispose]()
  }

  /** Posts the notice for all members, in each member's language. Settles when it is visible. */
  write(members: readonly ChannelMember[]): Promise<void> {
    const { notices, startedBy, channel, terms } = this.#options
    this.#greetings.greeted(members)
    return this.#inform(members, () =>
      notices.listening(words => listeningNotice(words, startedBy(), channel(), terms), languagesOf(members)),
    )
  }

  /** Plays the notice to all speakers. `moved`: the bot is in another channel, where it was not played yet. */
  say(members: readonly ChannelMember[], { moved = false } = {}): void {
    if (moved) this.#spoken.forget('channel-interpreted')
    this.#spoken.play('channel-interpreted', spokenTo(members))
  }

  /** Updates the members present. */
  see(members: readonly ChannelMember[]): void {
    this.#greetings.see(members)
  }

  /** Announces a phone that joined. */
  phone(members: readonly ChannelMember[]): void {
    this.#spoken.play('phone-joined', spokenTo(members))
  }

  /** Plays the goodbye to `members`. Settles after playback, or after at most `withinMs`. No notices follow it. */
  farewell(members: readonly ChannelMember[], withinMs: number): Promise<void> {
    return this.#spoken.farewell(spokenTo(members), withinMs)
  }

  #greet(newcomers: readonly ChannelMember[]): void {
    const { notices, channel, terms } = this.#options
    const names = newcomers.slice(0, NAMES_MOST).map(({ name }) => escaped(name))
    void this.#inform(newcomers, () =>
      notices.newcomers(
        words => newcomersNotice(words, names.join(', '), channel(), terms),
        languagesOf(newcomers),
      ),
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
    if (posted || tries >= TRIES_MOST) this.#options.informed(members)
    else
      this.#retry = setTimer(this.#options.clock, RETRY_MS, () => void this.#inform(members, post, tries + 1))
  }
}

function spokenTo(members: readonly ChannelMember[]): LanguageId[] {
  return languagesOf(members.filter(member => isConcerned(member) && member.speaks)).slice(0, LANGUAGES_MOST)
}
