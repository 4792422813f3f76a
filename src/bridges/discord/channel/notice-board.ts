import type { LanguageId } from '../../../core/languages.ts'
import type { Buttons, DiscordChat } from '../captions/discord-chat.ts'
import { type ChannelWords, channelWords } from './channel-words.ts'

/** Longest message (Discord: Create Message). */
const LONGEST = 2_000

/** Notices that are changed at the end: one for each chat that captions were in, the last so many. */
const KEPT_MOST = 5

/** The part of a chat that notices need. */
export type NoticeChat = Pick<DiscordChat, 'post' | 'repost' | 'remove'>

/** A message that is there. */
interface Posted {
  readonly chat: NoticeChat
  readonly id: string
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
  #newcomers: Posted | undefined

  constructor({ chat, buttons }: NoticeBoardParts) {
    this.#chat = chat
    this.#buttons = buttons
  }

  /** Notices go there from now on. */
  moveTo(chat: NoticeChat): void {
    this.#chat = chat
  }

  /** Says that people are listened to, with the buttons that say no. */
  async listening(notice: Notice, languages: readonly LanguageId[]): Promise<void> {
    const posted = await this.#post(notice, languages, true)
    if (posted) this.#listening = [...this.#listening.slice(-KEPT_MOST + 1), posted]
  }

  /** The same to those who have just come. */
  async newcomers(notice: Notice, languages: readonly LanguageId[]): Promise<void> {
    const before = this.#newcomers
    this.#newcomers = undefined
    const posted = await this.#post(notice, languages, true)
    this.#newcomers = posted ?? before
    if (posted && before) await before.chat.remove(before.id)
  }

  /** Settles with how to change it; undefined where it could not be written. */
  async tell(
    notice: Notice,
    languages: readonly LanguageId[],
  ): Promise<((notice: Notice) => Promise<void>) | undefined> {
    const posted = await this.#post(notice, languages, false)
    if (!posted) return undefined
    return async other => void (await posted.chat.repost(posted.id, inEach(other, languages)))
  }

  /** Nobody is listened to any more: the notices say so from now on. */
  async ended(notice: Notice, languages: readonly LanguageId[]): Promise<void> {
    const text = inEach(notice, languages)
    const posted = [...this.#listening, ...(this.#newcomers ? [this.#newcomers] : [])]
    this.#listening = []
    this.#newcomers = undefined
    await Promise.all(posted.map(({ chat, id }) => chat.repost(id, text)))
  }

  async #post(
    notice: Notice,
    languages: readonly LanguageId[],
    buttons: boolean,
  ): Promise<Posted | undefined> {
    const chat = this.#chat
    const text = inEach(notice, languages)
    const written = await chat.post(text, buttons ? this.#buttons(languages[0] ?? 'en-us') : undefined)
    return written.kind === 'written' ? { chat, id: written.id } : undefined
  }
}

/** The notice in each language, once where the words are the same; cut where it would be too long. */
function inEach(notice: Notice, languages: readonly LanguageId[]): string {
  const texts = new Set(
    (languages.length > 0 ? languages : ['en-us']).map(each => notice(channelWords(each))),
  )
  let text = ''
  for (const each of texts) {
    const longer = text === '' ? each : `${text}\n\n${each}`
    if (longer.length <= LONGEST) text = longer
  }
  return text
}
