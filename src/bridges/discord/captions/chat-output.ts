import { ChannelType } from 'discord.js'
import type { Clock } from '../../../common/clock.ts'
import type { Logger } from '../../../common/log.ts'
import type { Observer } from '../../../core/model/events.ts'
import type { CaptionSettings } from '../contract.ts'
import type { CaptionChat } from './caption-format.ts'
import { Captions } from './captions.ts'
import { type ChatAccess, DiscordChat } from './discord-chat.ts'
import { WebhookChat } from './webhook-chat.ts'

/** Discord archives a thread after this long without messages; the next message reopens it (minutes). */
const ARCHIVE_MINUTES = 1_440
/** Time limit for the final captions at the end (ms). */
const LAST_CAPTIONS_MS = 2_000

export interface ChatOutputOptions extends ChatAccess {
  readonly observer: Observer
  readonly room: string
  readonly textChannelId: string
  readonly settings: CaptionSettings
  /** Address of a participant's picture. */
  readonly pictureOf: (participant: string) => string | undefined
  readonly clock: Clock
  readonly log: Logger
  /** A participant's microphone picks up the bot's voice. The name is escaped for a message. */
  readonly onEcho: (participant: string, name: string) => void
}

/** The captions of a voice channel and where they go: a chat, a thread in it, or a webhook. Never rejects because of Discord. */
export class ChatOutput {
  readonly captions: Captions
  readonly #options: ChatOutputOptions
  #settings: CaptionSettings
  #channelId: string
  #threadId: string | undefined
  #webhook: WebhookChat | undefined

  constructor(options: ChatOutputOptions) {
    const { textChannelId, settings, log, observer, room, clock, onEcho } = options
    this.#options = options
    this.#settings = settings
    this.#channelId = textChannelId
    this.captions = new Captions({
      observer,
      room,
      chat: this.#destination(),
      style: settings.style,
      clock,
      onEcho,
      onNoAccess: code => log.warn({ channelId: this.writesTo, code }, 'captions not writable'),
    })
  }

  get settings(): CaptionSettings {
    return this.#settings
  }

  /** The chat requested for captions. */
  get channelId(): string {
    return this.#channelId
  }

  /** The chat that captions go to, or its thread. */
  get writesTo(): string {
    return this.#threadId ?? this.#channelId
  }

  /**
   * Changes the style and destination of captions. Opens a thread called `threadName` if `settings` request one; without
   * a thread, captions go to the chat. Chats of voice channels have no threads (Discord: Text Channels in Voice).
   */
  async set(settings: CaptionSettings, threadName: string): Promise<void> {
    const [before, { style }] = [this.writesTo, this.#settings]
    this.#settings = settings
    this.captions.style = settings.style
    if (!settings.thread) this.#threadId = undefined
    else this.#threadId ??= await this.#newThread(threadName)
    const switches = (style === 'webhook') !== (settings.style === 'webhook')
    if (switches || this.writesTo !== before) this.captions.moveTo(this.#destination())
  }

  /** Moves captions to another chat. */
  moveTo(channelId: string): void {
    if (channelId === this.#channelId && channelId === this.writesTo) return
    this.#channelId = channelId
    this.#threadId = undefined
    this.captions.moveTo(this.#destination())
  }

  /** Writes the remaining captions, within a bounded time. */
  async close(): Promise<void> {
    await this.captions.close(LAST_CAPTIONS_MS)
    await this.#webhook?.close()
  }

  /** The chat for captions in the current style. An unneeded webhook is deleted. */
  #destination(): CaptionChat {
    void this.#webhook?.close()
    this.#webhook = undefined
    const { client, register, pictureOf, clock, log } = this.#options
    const channelId = this.writesTo
    if (this.#settings.style !== 'webhook') return new DiscordChat({ client, register }, channelId)
    this.#webhook = new WebhookChat({ client, register, pictureOf, clock, log, channelId })
    return this.#webhook
  }

  async #newThread(name: string): Promise<string | undefined> {
    const { client, log } = this.#options
    const channelId = this.#channelId
    try {
      const channel = await client.channels.fetch(channelId)
      if (channel?.type !== ChannelType.GuildText) return undefined
      const type = ChannelType.PublicThread
      const thread = await channel.threads.create({ name, type, autoArchiveDuration: ARCHIVE_MINUTES })
      return thread.id
    } catch (error) {
      log.warn({ channelId, reason: String(error) }, 'captions thread not created')
      return undefined
    }
  }
}
