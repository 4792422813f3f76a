import { type Clock, setTimer, withTimeout } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import type { Announcer, NoticeName } from '../../../core/model/announcer.ts'
import type { Announcement } from '../../../core/playout/announcement.ts'
import type { Participant } from '../../../core/room/participant.ts'
import { escaped } from '../captions/caption-format.ts'
import type { ChatOutput } from './chat-output.ts'
import type { ChannelMember } from './guild-view.ts'
import { listeningNotice, type NoticeTerms, newcomersNotice } from './notice-terms.ts'

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
    const there = new Map(members.map(member => [member.userId, member]))
    this.#waiting = new Map(Array.from(this.#waiting).filter(([userId]) => there.has(userId)))
    for (const [userId, member] of there)
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

/** Interval before the same notice is repeated in the same language (ms). */
const REPEAT_AFTER_MS = 15_000
/** The same for the notice to newcomers, which interrupts everyone else. They also get it in writing. */
const NEWCOMERS_AGAIN_MS = 180_000
/** Maximum wait for a notice to be played (ms). */
const LONGEST_MS = 12_000
/** Maximum number of waiting notices; more are dropped. */
const WAITING_MOST = 6

interface Waiting {
  readonly name: NoticeName
  readonly language: LanguageId
}

/**
 * Spoken notices of a channel. They are played one at a time, because everyone in the channel hears all of them, and
 * not repeated each time people come and go.
 */
export class VoiceNotices {
  readonly #announcer: Announcer
  readonly #clock: Clock
  /** The leg that speaks this language; undefined: the channel has no spoken output. */
  readonly #output: (language: LanguageId) => Participant | undefined
  readonly #saidAt = new Map<string, number>()
  readonly #waiting: Waiting[] = []
  #speaking: Promise<void> | undefined
  #now: Announcement | undefined
  #closed = false

  constructor(announcer: Announcer, clock: Clock, output: (language: LanguageId) => Participant | undefined) {
    this.#announcer = announcer
    this.#clock = clock
    this.#output = output
  }

  /** Plays `name` in each language, unless it played recently. */
  say(name: NoticeName, languages: readonly LanguageId[]): void {
    const now = this.#clock.now()
    for (const language of languages) {
      const key = `${name} ${language}`
      const againMs = name === 'channel-interpreted' ? NEWCOMERS_AGAIN_MS : REPEAT_AFTER_MS
      if (now - (this.#saidAt.get(key) ?? Number.NEGATIVE_INFINITY) < againMs) continue
      if (this.#closed || this.#waiting.length >= WAITING_MOST) return
      this.#saidAt.set(key, now)
      this.#waiting.push({ name, language })
    }
    if (this.#waiting.length > 0) this.#speaking ??= this.#speak().then(() => this.#spoken())
  }

  /** Allows `name` to be repeated immediately. */
  forget(name: NoticeName): void {
    for (const key of this.#saidAt.keys()) if (key.startsWith(`${name} `)) this.#saidAt.delete(key)
  }

  /**
   * Replaces all waiting notices with the goodbye. Settles after playback, or after at most `withinMs`. Idempotent.
   */
  async farewell(languages: readonly LanguageId[], withinMs: number): Promise<void> {
    if (this.#closed) return
    this.#waiting.length = 0
    this.#now?.stop({ flush: true })
    this.say('goodbye', languages)
    this.#closed = true
    await withTimeout(this.#clock, withinMs, this.#speaking)
    this.close()
  }

  /** Stops all notices. */
  close(): void {
    this.#closed = true
    this.#waiting.length = 0
    this.#now?.stop({ flush: true })
  }

  async #speak(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const sound = await this.#announcer.notice(next.name, next.language)
      const output = this.#output(next.language)
      if (!output) continue
      this.#now = output.announce(sound)
      await withTimeout(this.#clock, LONGEST_MS, this.#now.ended)
      this.#now = undefined
    }
  }

  #spoken(): void {
    this.#speaking = undefined
    // A notice can arrive between the last check and this one.
    if (this.#waiting.length > 0) this.#speaking = this.#speak().then(() => this.#spoken())
  }
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
  readonly writing: Pick<ChatOutput, 'listening' | 'newcomers'>
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
  readonly #notices: VoiceNotices
  readonly #greetings: Greetings
  #retry: Disposable | undefined
  #over = false

  constructor(options: WelcomeOptions) {
    this.#options = options
    this.#notices = new VoiceNotices(options.announcer, options.clock, options.output)
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
    const { writing, startedBy, channel, terms } = this.#options
    this.#greetings.greeted(members)
    return this.#inform(members, () =>
      writing.listening(words => listeningNotice(words, startedBy(), channel(), terms), languagesOf(members)),
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
    const { writing, channel, terms } = this.#options
    const names = newcomers.slice(0, NAMES_MOST).map(({ name }) => escaped(name))
    void this.#inform(newcomers, () =>
      writing.newcomers(
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
