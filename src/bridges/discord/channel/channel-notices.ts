import type { LanguageId } from '../../../common/language.ts'
import { channelMessagesFor } from '../../../messages/discord/discord.ts'
import type { ChannelWords } from '../../../messages/discord/types.ts'
import type { Components, DiscordChat } from '../captions/discord-chat.ts'
import type { ChannelEnd } from '../channel-interpreter.ts'
import type { GuildView } from './guild-view.ts'

/** Returns the chat notice for an ending, or undefined if someone asked for it. */
export function endWords(end: ChannelEnd): Notice | undefined {
  switch (end.kind) {
    case 'stopped':
    case 'parent-closed':
      return undefined
    case 'empty':
      return words => words.empty
    case 'kicked':
      return words => words.kicked
    case 'taken':
      return words => words.taken
    case 'unreachable':
      return words => words.lost
    case 'refused':
      if (end.code === 'channel-gone' || end.code === 'guild-gone') return undefined
      if (end.code === 'permissions') return words => words.permissions
      if (end.code === 'encryption') return words => words.encryption
      return words => words.lost
    default:
      return end satisfies never
  }
}

/** Maximum length of a message (Discord: Create Message). */
const LONGEST = 2_000

/** Maximum number of notices that are updated at the end, across all chats used for captions. */
const KEPT_MOST = 10

/** The operations of a chat that notices need. */
export type NoticeChat = Pick<DiscordChat, 'post' | 'repost' | 'remove'>

/** A posted message. */
interface Posted {
  readonly chat: NoticeChat
  readonly id: string
  /** Its readers' languages. */
  readonly languages: readonly LanguageId[]
}

/** Selects one of the texts. */
export type Notice = (words: ChannelWords) => string

export interface NoticeBoardOptions {
  readonly chat: NoticeChat
  /** Menu and buttons below a listening notice for readers of these languages. */
  readonly components: (readers: readonly LanguageId[]) => Components
}

/**
 * Notices that the bot posts in the chat unprompted: that it listens, for as long as it does, in the readers'
 * languages, and problems that people cannot see. Never rejects.
 */
export class ChannelNotices {
  readonly #components: NoticeBoardOptions['components']
  #chat: NoticeChat
  /** Listening notices, updated at the end. */
  #listening: Posted[] = []
  /** Notices to the latest newcomers; they replace those to earlier ones. */
  #newcomers: readonly Posted[] = []

  constructor({ chat, components }: NoticeBoardOptions) {
    this.#chat = chat
    this.#components = components
  }

  /** Posts notices to `chat` from now on. */
  moveTo(chat: NoticeChat): void {
    this.#chat = chat
  }

  /**
   * Posts the listening notice in each of `languages`, with a language menu and opt-out buttons. Resolves with false if it could not be
   * posted.
   */
  async listening(notice: Notice, languages: readonly LanguageId[]): Promise<boolean> {
    const posted = await this.#postAll(notice, languages)
    if (posted) this.#listening = [...this.#listening, ...posted].slice(-KEPT_MOST)
    return posted !== undefined
  }

  /** The same for newcomers. Resolves with false if it could not be posted. */
  async newcomers(notice: Notice, languages: readonly LanguageId[]): Promise<boolean> {
    const posted = await this.#postAll(notice, languages)
    if (!posted) return false
    const before = this.#newcomers
    this.#newcomers = posted
    void Promise.all(before.map(({ chat, id }) => chat.remove(id)))
    return true
  }

  /** Resolves with a function that changes the notice, or undefined if it could not be posted. */
  async tell(
    notice: Notice,
    languages: readonly LanguageId[],
    components: Components = [],
  ): Promise<((notice: Notice) => Promise<void>) | undefined> {
    const chat = this.#chat
    const written = await chat.post(inEach(notice, languages), components)
    if (written.kind !== 'written') return undefined
    return async other => void (await chat.repost(written.id, inEach(other, languages)))
  }

  /** Updates the notices when the listening has ended. */
  async ended(notice: Notice): Promise<void> {
    const posted = [...this.#listening, ...this.#newcomers]
    this.#listening = []
    this.#newcomers = []
    await Promise.all(posted.map(({ chat, id, languages }) => chat.repost(id, inEach(notice, languages))))
  }

  /** Posts as many messages as needed, each with buttons. Resolves with undefined if none could be posted. */
  async #postAll(notice: Notice, languages: readonly LanguageId[]): Promise<readonly Posted[] | undefined> {
    const chat = this.#chat
    const posted: Posted[] = []
    for (const { text, languages: readers } of messages(notice, languages)) {
      const written = await chat.post(text, this.#components(readers))
      if (written.kind === 'written') posted.push({ chat, id: written.id, languages: readers })
    }
    return posted.length > 0 ? posted : undefined
  }
}

/** Returns the notice in each language, without duplicates, as far as one message holds it. */
function inEach(notice: Notice, languages: readonly LanguageId[]): string {
  return messages(notice, languages)[0]!.text
}

/** Returns the notice in each language, without duplicates, split into messages that Discord accepts. */
function messages(
  notice: Notice,
  languages: readonly LanguageId[],
): readonly { readonly text: string; readonly languages: readonly LanguageId[] }[] {
  const seen = new Set<string>()
  const all: { text: string; languages: LanguageId[] }[] = []
  for (const language of languages.length > 0 ? languages : ['en-us']) {
    const text = notice(channelMessagesFor(language))
    if (seen.has(text)) continue
    seen.add(text)
    const last = all.at(-1)
    if (last && last.text.length + 2 + text.length <= LONGEST) {
      last.text += `\n\n${text}`
      last.languages.push(language)
    } else all.push({ text, languages: [language] })
  }
  return all
}

export interface BotTroublesOptions {
  readonly view: Pick<GuildView, 'bot' | 'may' | 'isStage' | 'askToSpeak'>
  /** True if the channel has spoken output. */
  readonly voice: boolean
  readonly tell: (notice: Notice) => void
  /** Called when the bot is not allowed in the channel. */
  readonly forbidden: () => void
}

/** Problems that keep the bot from hearing or being heard. Each is reported once, when it starts. */
export class BotProblems {
  readonly #options: BotTroublesOptions
  readonly #told = new Set<string>()

  constructor(options: BotTroublesOptions) {
    this.#options = options
  }

  /** Checks the bot's current state in the channel. */
  look(channelId: string): void {
    const { view, voice, forbidden } = this.#options
    if (!view.may(channelId, 'ViewChannel') || !view.may(channelId, 'Connect')) {
      forbidden()
      return
    }
    const { muted, deafened, suppressed } = view.bot
    this.#trouble('deafened', deafened, words => words.deafened)
    if (!voice) return
    this.#trouble('muted', muted, words => words.muted)
    if (view.isStage(channelId)) this.#audience(channelId, suppressed)
    else this.#trouble('speak', !view.may(channelId, 'Speak'), words => words.noSpeak)
  }

  /** Deaf: the bot cannot hear the channel. Mute: the channel cannot hear the bot. Deaf takes precedence. */
  get hinders(): 'mute' | 'deaf' | undefined {
    if (this.#told.has('deafened')) return 'deaf'
    return ['muted', 'speak', 'audience'].some(each => this.#told.has(each)) ? 'mute' : undefined
  }

  /** Reports a problem the first time only. */
  once(name: string, notice: Notice): void {
    this.#trouble(name, true, notice)
  }

  #trouble(name: string, is: boolean, notice: Notice): void {
    if (!is) this.#told.delete(name)
    else if (!this.#told.has(name)) {
      this.#told.add(name)
      this.#options.tell(notice)
    }
  }

  #audience(channelId: string, suppressed: boolean): void {
    if (!suppressed) this.#told.delete('audience')
    else if (!this.#told.has('audience')) {
      this.#told.add('audience')
      void this.#options.view.askToSpeak(channelId).then(answer => {
        if (answer !== 'speaks')
          this.#options.tell(words => (answer === 'asked' ? words.askedToSpeak : words.noSpeak))
      })
    }
  }
}

/** Delay before an outage is announced (ms). Most broken connections recover within it. */
const AFTER_MS = 3_000

/** Posts notices that can be changed later. */
export interface Amendable {
  /** Resolves with a function that changes the notice, or undefined if it could not be posted. */
  post(notice: Notice): Promise<((notice: Notice) => Promise<void>) | undefined>
}

/** Posts a notice for each outage, and updates it after the recovery. */
export class OutageNotice {
  readonly #board: Amendable
  #since: number | undefined
  #posted: ReturnType<Amendable['post']> | undefined

  constructor(board: Amendable) {
    this.#board = board
  }

  /** Updates the state at `now` (clock ms). `names`: who speaks untranslated; undefined: everybody would. */
  look(names: readonly string[] | undefined, now: number): void {
    if (names?.length !== 0) {
      this.#since ??= now
      if (now - this.#since >= AFTER_MS)
        this.#posted ??= this.#board.post(words =>
          names ? words.untranslated(names.join(', ')) : words.serviceUnavailable,
        )
      return
    }
    this.#since = undefined
    const posted = this.#posted
    this.#posted = undefined
    void posted?.then(amend => amend?.(words => words.serviceBack))
  }
}
