import { ChannelType, type Client } from 'discord.js'
import type { Log } from '../../../common/log.ts'
import { DiscordChat } from '../captions/discord-chat.ts'
import type { CaptionSettings } from '../channel-interpreter.ts'

/** Discord archives a thread after this long without messages; the next message reopens it (minutes). */
const PUT_AWAY_MINUTES = 1_440

/** Destination of a channel's captions: a chat or a thread in it. */
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

  /** The requested chat. */
  get channelId(): string {
    return this.#channelId
  }

  /** The chat that captions go to, or its thread. */
  get writesTo(): string {
    return this.#thread ?? this.#channelId
  }

  get chat(): DiscordChat {
    return new DiscordChat(this.#client, this.writesTo)
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
      const channel = await this.#client.channels.fetch(this.#channelId)
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
