import type { LanguageId } from '../../../common/language.ts'
import { catalogFor } from '../../../messages/catalogs.ts'
import type { ChannelTexts } from '../../../messages/en/discord.ts'
import type { Components, DiscordChat } from '../captions/discord-chat.ts'

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
export type Notice = (words: ChannelTexts) => string

/** Changes a posted notice. */
export type Amend = (notice: Notice) => Promise<void>

/** Maximum number of languages of a notice to everyone. */
const LANGUAGES_MOST = 3

export interface ChannelNoticesOptions {
  readonly chat: NoticeChat
  /** Menu and buttons below a listening notice for readers of these languages. */
  readonly components: (readers: readonly LanguageId[]) => Components
}

/**
 * Notices that the bot posts in the chat unprompted: that it listens, for as long as it does, in the readers'
 * languages, and problems that people cannot see. Never rejects.
 */
export class ChannelNotices {
  readonly #components: ChannelNoticesOptions['components']
  #chat: NoticeChat
  #languages: readonly LanguageId[] = []
  /** Listening notices, updated at the end. */
  #listening: Posted[] = []
  /** Notices to the latest newcomers; they replace those to earlier ones. */
  #newcomers: readonly Posted[] = []

  constructor({ chat, components }: ChannelNoticesOptions) {
    this.#chat = chat
    this.#components = components
  }

  /** The languages of notices to everyone, most common first. */
  get languages(): readonly LanguageId[] {
    return this.#languages
  }

  set languages(languages: readonly LanguageId[]) {
    this.#languages = languages.slice(0, LANGUAGES_MOST)
  }

  /** Posts notices to `chat` from now on. */
  moveTo(chat: NoticeChat): void {
    this.#chat = chat
  }

  /**
   * Posts the listening notice in each of `languages`, with a language menu and opt-out buttons. Resolves with false if it
   * could not be posted.
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

  /**
   * Posts a notice in the languages of the channel. Resolves with a function that changes it, or undefined if it could not
   * be posted.
   */
  async tell(notice: Notice, components: Components = []): Promise<Amend | undefined> {
    const [chat, languages] = [this.#chat, this.#languages]
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
    const text = notice(catalogFor(language).discord.channel)
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
