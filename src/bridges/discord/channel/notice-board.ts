import type { LanguageId } from '../../../core/languages.ts'
import type { Written } from '../captions/caption-message.ts'
import type { Buttons, DiscordChat } from '../captions/discord-chat.ts'
import { type ChannelWords, channelWords } from './channel-words.ts'

/** Longest message (Discord: Create Message). */
const LONGEST = 2_000

/** The part of a chat that notices need. */
export type NoticeChat = Pick<DiscordChat, 'channelId' | 'post' | 'repost'>

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
  #listening: { readonly chat: NoticeChat; readonly id: string }[] = []

  constructor({ chat, buttons }: NoticeBoardParts) {
    this.#chat = chat
    this.#buttons = buttons
  }

  /** Notices go there from now on. */
  moveTo(chat: NoticeChat): void {
    this.#chat = chat
  }

  /** Says that people are listened to, with the buttons that say no. */
  async listening(notice: Notice, languages: readonly LanguageId[]): Promise<Written> {
    const chat = this.#chat
    const written = await chat.post(inEach(notice, languages), this.#buttons(languages[0] ?? 'en-us'))
    if (written.kind === 'written') this.#listening.push({ chat, id: written.id })
    return written
  }

  async tell(notice: Notice, languages: readonly LanguageId[]): Promise<void> {
    await this.#chat.post(inEach(notice, languages))
  }

  /** Nobody is listened to any more: the notices say so from now on. */
  async ended(notice: Notice, languages: readonly LanguageId[]): Promise<void> {
    const text = inEach(notice, languages)
    await Promise.all(this.#listening.splice(0).map(({ chat, id }) => chat.repost(id, text)))
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
