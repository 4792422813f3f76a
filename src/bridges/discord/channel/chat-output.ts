import { ChannelType } from 'discord.js'
import type { Clock } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import type { Logger } from '../../../common/log.ts'
import type { Observer } from '../../../core/model/events.ts'
import { channelMessagesFor } from '../../../messages/discord/discord.ts'
import type { CaptionChat } from '../captions/caption-format.ts'
import { Captions } from '../captions/captions.ts'
import { type ChatAccess, DiscordChat } from '../captions/discord-chat.ts'
import { WebhookChat } from '../captions/webhook-chat.ts'
import type { CaptionSettings, ChannelEnd } from '../channel-interpreter.ts'
import type { OfferedLanguage } from '../commands/language-choices.ts'
import { languageMenu } from '../commands/language-menu.ts'
import { privacyButtons, resumeButton } from '../commands/privacy.ts'
import type { ConsentMode } from '../consent.ts'
import { ChannelNotices, endWords, type Notice } from './channel-notices.ts'

/** Discord archives a thread after this long without messages; the next message reopens it (minutes). */
const PUT_AWAY_MINUTES = 1_440

/** Destination of a channel's captions: a chat or a thread in it. */
class ChannelChat {
  readonly #access: ChatAccess
  readonly #log: Logger
  #channelId: string
  #thread: string | undefined

  constructor(access: ChatAccess, channelId: string, log: Logger) {
    this.#access = access
    this.#channelId = channelId
    this.#log = log
  }

  /** The requested chat. */
  get channelId(): string {
    return this.#channelId
  }

  /** The chat that captions go to, or its thread. */
  get writesTo(): string {
    return this.#thread ?? this.#channelId
  }

  get chat(): DiscordChat {
    return new DiscordChat(this.#access, this.writesTo)
  }

  /** Switches to another chat. */
  moveTo(channelId: string): void {
    this.#channelId = channelId
    this.#thread = undefined
  }

  /**
   * Opens a thread called `name` if `settings` request one; without a thread, captions go to the chat. Chats of voice
   * channels have no threads (Discord: Text Channels in Voice). Never rejects.
   */
  async open({ thread }: CaptionSettings, name: string): Promise<void> {
    if (!thread) this.#thread = undefined
    else this.#thread ??= await this.#newThread(name)
  }

  async #newThread(name: string): Promise<string | undefined> {
    try {
      const channel = await this.#access.client.channels.fetch(this.#channelId)
      if (channel?.type !== ChannelType.GuildText) return undefined
      const thread = await channel.threads.create({
        name,
        type: ChannelType.PublicThread,
        autoArchiveDuration: PUT_AWAY_MINUTES,
      })
      return thread.id
    } catch (error) {
      this.#log.warn({ channelId: this.#channelId, reason: String(error) }, 'captions thread not created')
      return undefined
    }
  }
}

/** Time limit for the final captions at the end (ms). */
const LAST_CAPTIONS_MS = 2_000

export interface WritingOptions extends ChatAccess {
  readonly observer: Observer
  readonly room: string
  readonly textChannelId: string
  readonly settings: CaptionSettings
  /** Languages for the menu of the notices. */
  readonly offered?: (() => readonly OfferedLanguage[]) | undefined
  /** Address of a participant's picture. */
  readonly pictureOf?: ((participant: string) => string | undefined) | undefined
  /** Default: opt-out. */
  readonly consent?: ConsentMode | undefined
  readonly clock: Clock
  readonly log: Logger
  /** A participant's microphone picks up the bot's voice. The name is escaped for a message. */
  readonly onEcho: (participant: string, name: string) => void
}

/** All text that is written for a voice channel: captions and notices. Never rejects because of Discord. */
export class ChatOutput {
  readonly captions: Captions
  readonly #options: WritingOptions
  readonly #chat: ChannelChat
  readonly #board: ChannelNotices
  #webhooks: WebhookChat | undefined
  #settings: CaptionSettings
  #languages: readonly LanguageId[] = []

  constructor(options: WritingOptions) {
    const { textChannelId, settings, log, observer, room, clock, onEcho } = options
    this.#settings = settings
    this.#chat = new ChannelChat(options, textChannelId, log)
    this.#options = options
    const chat = new DiscordChat(options, textChannelId)
    this.#board = new ChannelNotices({
      chat,
      components: readers => {
        const [language = 'en-us'] = readers
        const menu = languageMenu(language, options.offered?.() ?? [], readers)
        const buttons = privacyButtons(language, options.consent)
        return menu ? [menu, buttons] : [buttons]
      },
    })
    this.captions = new Captions({
      observer,
      room,
      chat: this.#captionChat(),
      style: settings.style,
      clock,
      onEcho,
      onNoAccess: code => log.warn({ channelId: this.#chat.writesTo, code }, 'captions not writable'),
    })
  }

  get settings(): CaptionSettings {
    return this.#settings
  }

  /** The chat requested for captions. Notices go there too. */
  get channelId(): string {
    return this.#chat.channelId
  }

  /** The chat that captions go to, or its thread. */
  get writesTo(): string {
    return this.#chat.writesTo
  }

  /** The languages of notices. */
  set languages(languages: readonly LanguageId[]) {
    this.#languages = languages.slice(0, 3)
  }

  /** Posts the listening notice. Resolves with false if it could not be posted. */
  listening(notice: Notice, languages: readonly LanguageId[]): Promise<boolean> {
    return this.#board.listening(notice, languages)
  }

  /** The same for newcomers. */
  newcomers(notice: Notice, languages: readonly LanguageId[]): Promise<boolean> {
    return this.#board.newcomers(notice, languages)
  }

  /** Resolves with a function that changes the notice, or undefined if it could not be posted. */
  tell(notice: Notice): ReturnType<ChannelNotices['tell']> {
    return this.#board.tell(notice, this.#languages)
  }

  /** The same for the notice of a pause, with a button that ends it. */
  tellPaused(notice: Notice): ReturnType<ChannelNotices['tell']> {
    return this.#board.tell(notice, this.#languages, [resumeButton(this.#languages[0] ?? 'en-us')])
  }

  /** Changes the style and destination of captions. */
  async set(settings: CaptionSettings): Promise<void> {
    const [before, { style }] = [this.#chat.writesTo, this.#settings]
    this.#settings = settings
    this.captions.style = settings.style
    await this.#chat.open(settings, channelMessagesFor(this.#languages[0] ?? 'en-us').thread)
    const switches = (style === 'webhook') !== (settings.style === 'webhook')
    if (switches || this.#chat.writesTo !== before) this.captions.moveTo(this.#captionChat())
  }

  /** Moves captions and notices to another chat. */
  moveTo(channelId: string): void {
    if (channelId === this.#chat.channelId && channelId === this.#chat.writesTo) return
    this.#chat.moveTo(channelId)
    this.captions.moveTo(this.#captionChat())
    this.#board.moveTo(new DiscordChat(this.#options, channelId))
  }

  /** Writes the remaining captions, marks the listening as ended and, with `tellsWhy`, gives the reason. */
  async end(end: ChannelEnd, channel: string, tellsWhy: boolean): Promise<void> {
    const why = tellsWhy ? endWords(end) : undefined
    await Promise.all([
      this.captions.close(LAST_CAPTIONS_MS).then(() => this.#webhooks?.close()),
      this.#board.ended(words => words.ended(channel)),
      why && this.tell(why),
    ])
  }

  /** The chat for captions in the current style. An unneeded webhook is deleted. */
  #captionChat(): CaptionChat {
    void this.#webhooks?.close()
    this.#webhooks = undefined
    if (this.#settings.style !== 'webhook') return this.#chat.chat
    const { client, register, pictureOf = () => undefined, clock, log } = this.#options
    this.#webhooks = new WebhookChat({
      ...{ client, register, pictureOf, clock, log },
      channelId: this.#chat.writesTo,
    })
    return this.#webhooks
  }
}
