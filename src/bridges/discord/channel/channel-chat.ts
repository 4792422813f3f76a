import { ChannelType, type Client } from 'discord.js'
import type { Log } from '../../../core/log.ts'
import { DiscordChat } from '../captions/discord-chat.ts'
import type { CaptionSettings } from '../channel-interpreter.ts'

/** After a day without messages a thread is put away; it comes back with the next one (minutes). */
const PUT_AWAY_MINUTES = 1_440

/** Where a channel's captions are written: a chat, or a thread of it. */
export class ChannelChat {
  readonly #client: Client
  readonly #log: Log
  #channelId: string
  #thread: string | undefined

  constructor(client: Client, channelId: string, log: Log) {
    this.#client = client
    this.#channelId = channelId
    this.#log = log
  }

  /** The chat that was asked for. */
  get channelId(): string {
    return this.#channelId
  }

  /** Where captions go: that chat, or its thread. */
  get writesTo(): string {
    return this.#thread ?? this.#channelId
  }

  get chat(): DiscordChat {
    return new DiscordChat(this.#client, this.writesTo)
  }

  /** Another chat from now on. */
  moveTo(channelId: string): void {
    this.#channelId = channelId
    this.#thread = undefined
  }

  /**
   * Opens the thread that `settings` ask for, called `name`; without one captions go to the chat itself. Chats of voice
   * channels have no threads (Discord: Text Channels in Voice). Never rejects.
   */
  async open({ thread }: CaptionSettings, name: string): Promise<void> {
    if (!thread) this.#thread = undefined
    else this.#thread ??= await this.#newThread(name)
  }

  async #newThread(name: string): Promise<string | undefined> {
    try {
      const channel = await this.#client.channels.fetch(this.#channelId)
      if (channel?.type !== ChannelType.GuildText) return undefined
      const thread = await channel.threads.create({
        name,
        type: ChannelType.PublicThread,
        autoArchiveDuration: PUT_AWAY_MINUTES,
      })
      return thread.id
    } catch (error) {
      this.#log.warn({ channelId: this.#channelId, reason: String(error) }, 'a thread was not opened')
      return undefined
    }
  }
}
