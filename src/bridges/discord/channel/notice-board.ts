import type { LanguageId } from '../../../core/languages.ts'
import type { Buttons, DiscordChat } from '../captions/discord-chat.ts'
import { type ChannelWords, channelWords } from './channel-words.ts'

/** Longest message (Discord: Create Message). */
const LONGEST = 2_000

/** Notices that are changed at the end: the last so many, of every chat that captions were in. */
const KEPT_MOST = 10

/** The part of a chat that notices need. */
export type NoticeChat = Pick<DiscordChat, 'post' | 'repost' | 'remove'>

/** A message that is there. */
interface Posted {
  readonly chat: NoticeChat
  readonly id: string
  /** Who reads it. */
  readonly languages: readonly LanguageId[]
}

/** Which of the words is written. */
export type Notice = (words: ChannelWords) => string

export interface NoticeBoardParts {
  readonly chat: NoticeChat
  /** What is below a notice that people are listened to. */
  readonly buttons: (language: LanguageId) => Buttons
}

/**
 * What is written in the chat without being asked: that people are listened to, as long as they are, in the languages of
 * those who read it, and what else they cannot see. Whatever Discord does, it never rejects.
 */
export class NoticeBoard {
  readonly #buttons: NoticeBoardParts['buttons']
  #chat: NoticeChat
  /** What says that people are listened to: to be taken back at the end. */
  #listening: Posted[] = []
  /** What was said to those who came last; it takes the place of what was said to others before. */
  #newcomers: readonly Posted[] = []

  constructor({ chat, buttons }: NoticeBoardParts) {
    this.#chat = chat
    this.#buttons = buttons
  }

  /** Notices go there from now on. */
  moveTo(chat: NoticeChat): void {
    this.#chat = chat
  }

  /**
   * Says that people are listened to, in each of `languages`, with the buttons that say no. False: it could not be posted.
   */
  async listening(notice: Notice, languages: readonly LanguageId[]): Promise<boolean> {
    const posted = await this.#postAll(notice, languages)
    if (posted) this.#listening = [...this.#listening, ...posted].slice(-KEPT_MOST)
    return posted !== undefined
  }

  /** The same for newcomers. False: it could not be posted. */
  async newcomers(notice: Notice, languages: readonly LanguageId[]): Promise<boolean> {
    const posted = await this.#postAll(notice, languages)
    if (!posted) return false
    const before = this.#newcomers
    this.#newcomers = posted
    void Promise.all(before.map(({ chat, id }) => chat.remove(id)))
    return true
  }

  /** Settles with how to change it; undefined where it could not be written. */
  async tell(
    notice: Notice,
    languages: readonly LanguageId[],
  ): Promise<((notice: Notice) => Promise<void>) | undefined> {
    const chat = this.#chat
    const written = await chat.post(inEach(notice, languages))
    if (written.kind !== 'written') return undefined
    return async other => void (await chat.repost(written.id, inEach(other, languages)))
  }

  /** Nobody is listened to any more: the notices say so from now on. */
  async ended(notice: Notice): Promise<void> {
    const posted = [...this.#listening, ...this.#newcomers]
    this.#listening = []
    this.#newcomers = []
    await Promise.all(posted.map(({ chat, id, languages }) => chat.repost(id, inEach(notice, languages))))
  }

  /** In as many messages as it takes, each with buttons. Undefined: one of them could not be posted. */
  async #postAll(notice: Notice, languages: readonly LanguageId[]): Promise<readonly Posted[] | undefined> {
    const chat = this.#chat
    const posted: Posted[] = []
    for (const { text, languages: readers } of messages(notice, languages)) {
      const written = await chat.post(text, this.#buttons(readers[0] ?? 'en-us'))
      if (written.kind === 'written') posted.push({ chat, id: written.id, languages: readers })
    }
    return posted.length > 0 ? posted : undefined
  }
}

/** The notice in each language, once where the words are the same; as much as one message holds. */
function inEach(notice: Notice, languages: readonly LanguageId[]): string {
  return messages(notice, languages)[0]!.text
}

/** The notice in each language, once where the words are the same, in messages that Discord accepts. */
function messages(
  notice: Notice,
  languages: readonly LanguageId[],
): readonly { readonly text: string; readonly languages: readonly LanguageId[] }[] {
  const seen = new Set<string>()
  const all: { text: string; languages: LanguageId[] }[] = []
  for (const language of languages.length > 0 ? languages : ['en-us']) {
    const text = notice(channelWords(language))
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
