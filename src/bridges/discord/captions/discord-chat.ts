import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIStringSelectComponent,
  type Client,
  DiscordAPIError,
  EmbedBuilder,
  MessageFlags,
  PermissionFlagsBits,
  RateLimitError,
  type SendableChannels,
} from 'discord.js'
import type { VoiceRegister } from '../voice-register.ts'
import { type CaptionChat, type CaptionMessage, escaped, type Written } from './caption-format.ts'

/** Discord's error codes (Discord: JSON Error Codes). */
const UNKNOWN_MESSAGE = 10_008
const TOO_OLD = 30_046
/** Unknown channel, missing access, missing permissions, archived thread. */
const NO_ACCESS = [10_003, 50_001, 50_013, 50_083]
const UNKNOWN_CHANNEL = 10_003
/** Maximum length of a message (Discord: Create Message). */
const CONTENT_MOST = 2_000
/** Disables all mentions in a message. */
export const NOBODY = { parse: [] }

/** Rows of buttons or menus below a message. */
export type Components = readonly APIActionRowComponent<
  APIButtonComponentWithCustomId | APIStringSelectComponent
>[]

/** The bot's client, and what it may do in channels. */
export interface ChatAccess {
  readonly client: Client
  readonly register: Pick<VoiceRegister, 'permissionsIn'>
}

/** One Discord text chat or thread. */
export class DiscordChat implements CaptionChat {
  readonly channelId: string
  readonly #access: ChatAccess

  constructor({ client, register }: ChatAccess, channelId: string) {
    this.#access = { client, register }
    this.channelId = channelId
  }

  send(message: CaptionMessage): Promise<Written> {
    return this.#do(async chat => {
      const flags = MessageFlags.SuppressNotifications
      const { id } = await chat.send({ ...this.#bodyOf(message, chat), flags, allowedMentions: NOBODY })
      return id
    })
  }

  edit(id: string, message: CaptionMessage): Promise<Written> {
    return this.#do(async chat => {
      await chat.messages.edit(id, { ...this.#bodyOf(message, chat), allowedMentions: NOBODY })
      return id
    })
  }

  remove(id: string): Promise<Written> {
    return this.#do(async chat => {
      await chat.messages.delete(id)
      return id
    })
  }

  /** Posts `text` (Discord's Markdown) with `components` below it. */
  post(text: string, components: Components = []): Promise<Written> {
    return this.#do(async chat => {
      const { id } = await chat.send({
        content: text,
        components,
        allowedMentions: NOBODY,
      })
      return id
    })
  }

  /** Replaces the text and components of a posted message. */
  repost(id: string, text: string, components: Components = []): Promise<Written> {
    return this.#do(async chat => {
      await chat.messages.edit(id, {
        content: text,
        components,
        allowedMentions: NOBODY,
      })
      return id
    })
  }

  /** Without the permission to embed, an embed becomes text. */
  #bodyOf(message: CaptionMessage, chat: SendableChannels) {
    const { content, embed } = message
    if (!embed) return { content: namedText(message), embeds: [] }
    const { author, description, color } = embed
    if (!this.#mayEmbed(chat))
      return { content: `**${escaped(author)}:** ${description}`.slice(0, CONTENT_MOST), embeds: [] }
    return {
      content,
      embeds: [new EmbedBuilder().setAuthor({ name: author }).setDescription(description).setColor(color)],
    }
  }

  #mayEmbed(chat: SendableChannels): boolean {
    if (chat.isDMBased()) return true
    const granted = this.#access.register.permissionsIn(chat)
    return granted === undefined || (granted & PermissionFlagsBits.EmbedLinks) !== 0n
  }

  async #do(request: (chat: SendableChannels) => Promise<string>): Promise<Written> {
    try {
      const chat = await this.#access.client.channels.fetch(this.channelId)
      if (!chat?.isSendable()) return { kind: 'no-access', code: UNKNOWN_CHANNEL }
      return { kind: 'written', id: await request(chat) }
    } catch (error) {
      return failureOf(error)
    }
  }
}

/** The text of a message, with its speaker's name if it has one. */
export function namedText({ content, speaker }: CaptionMessage): string {
  return speaker ? `**${escaped(speaker.name) || '📞'}:** ${content}`.slice(0, CONTENT_MOST) : content
}

/** Returns the outcome of a request that was rejected with `error`. */
export function failureOf(error: unknown): Written {
  if (error instanceof RateLimitError) return { kind: 'limited', retryAfterMs: error.retryAfter }
  if (error instanceof DiscordAPIError && typeof error.code === 'number') {
    if (error.code === UNKNOWN_MESSAGE) return { kind: 'message-gone' }
    if (error.code === TOO_OLD) return { kind: 'message-old' }
    if (NO_ACCESS.includes(error.code)) return { kind: 'no-access', code: error.code }
  }
  return { kind: 'failed' }
}
