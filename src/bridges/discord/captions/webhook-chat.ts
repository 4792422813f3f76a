import {
  DiscordAPIError,
  MessageFlags,
  PermissionFlagsBits,
  type VoiceChannel,
  type Webhook,
  type WebhookType,
} from 'discord.js'
import { BoundedMap } from '../../../common/bounded-map.ts'
import type { Clock } from '../../../common/clock.ts'
import { errorFields, type Logger } from '../../../common/log.ts'
import type { CaptionChat, CaptionMessage, Written } from './caption-format.ts'
import { type ChatAccess, DiscordChat, failureOf, NOBODY, namedText } from './discord-chat.ts'

/** Name of the webhook in the channel's settings, by which it is found again. */
const NAME = 'Dragoman'
/** Discord: JSON Error Codes. Unknown webhook, invalid webhook token. */
const GONE: readonly unknown[] = [10_015, 50_027]
/** Pause before another attempt to get a webhook (ms). */
const RETRY_MS = 60_000
/** Maximum number of messages of which the sender is remembered. */
const MOST_MESSAGES = 500
/** Maximum length of a user name (characters). */
const LONGEST_NAME = 80
/** Names that Discord refuses (Discord: Usernames and Nicknames). */
const REFUSED_NAMES = /discord|clyde|^everyone$|^here$/i

type Hook = Webhook<WebhookType.Incoming>

export interface WebhookChatOptions extends ChatAccess {
  /** A text chat or a thread. */
  readonly channelId: string
  /** Returns the address of a participant's picture. */
  readonly pictureOf: (participant: string) => string | undefined
  readonly clock: Clock
  readonly log: Logger
}

/**
 * Captions under the name and picture of their speaker, by a webhook of the channel. An existing webhook of this bot is used
 * again. Without the permission for webhooks, or if it was deleted, the bot itself writes, with the name in the text.
 */
export class WebhookChat implements CaptionChat {
  /** Discord accepts 30 messages a minute from the webhooks of a channel (discord-api-docs#367). */
  readonly sends = { most: 5, windowMs: 10_200 }
  readonly #options: WebhookChatOptions
  readonly #bot: DiscordChat
  /** The webhooks that wrote messages, by message. */
  readonly #writers = new BoundedMap<string, Hook>(MOST_MESSAGES)
  #hook: Hook | undefined
  #threadId: string | undefined
  #retryAt = Number.NEGATIVE_INFINITY
  #closed = false

  constructor(options: WebhookChatOptions) {
    this.#options = options
    this.#bot = new DiscordChat(options, options.channelId)
  }

  async send(message: CaptionMessage): Promise<Written> {
    const hook = await this.#obtain()
    if (!hook) return this.#bot.send(message)
    try {
      const { id } = await hook.send({
        ...this.#signed(message),
        ...this.#place,
        allowedMentions: NOBODY,
        flags: MessageFlags.SuppressNotifications,
      })
      this.#writers.set(id, hook)
      return { kind: 'written', id }
    } catch (error) {
      if (!this.#isGone(error)) return failureOf(error)
      return this.#bot.send(message)
    }
  }

  async edit(id: string, message: CaptionMessage): Promise<Written> {
    const hook = this.#writers.get(id)
    if (!hook) return this.#bot.edit(id, message)
    try {
      const { content } = this.#signed(message)
      await hook.editMessage(id, { content, ...this.#place, allowedMentions: NOBODY })
      return { kind: 'written', id }
    } catch (error) {
      // Without its webhook, a message stays unchanged, and the final text goes into a new one.
      return this.#isGone(error) ? { kind: 'message-old' } : failureOf(error)
    }
  }

  async remove(id: string): Promise<Written> {
    const hook = this.#writers.get(id)
    if (!hook) return this.#bot.remove(id)
    try {
      await hook.deleteMessage(id, this.#threadId)
      return { kind: 'written', id }
    } catch (error) {
      return this.#isGone(error) ? this.#bot.remove(id) : failureOf(error)
    }
  }

  /** Deletes the webhook. Idempotent. Never rejects. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    try {
      await this.#hook?.delete()
    } catch (error) {
      this.#options.log.debug({ ...this.#about, ...errorFields(error) }, 'webhook not deleted')
    }
  }

  get #about() {
    return { channelId: this.#options.channelId }
  }

  get #place() {
    return { threadId: this.#threadId }
  }

  /** Under the speaker's name if Discord accepts it, otherwise with the name in the text. */
  #signed(message: CaptionMessage): { content: string; username?: string; avatarURL?: string | undefined } {
    const { speaker, content } = message
    const username = speaker?.name.trim().slice(0, LONGEST_NAME)
    if (!speaker || !username || REFUSED_NAMES.test(username)) return { content: namedText(message) }
    return { content, username, avatarURL: this.#options.pictureOf(speaker.participant) }
  }

  /** Forgets a webhook that a moderator deleted. */
  #isGone(error: unknown): boolean {
    if (!(error instanceof DiscordAPIError) || !GONE.includes(error.code)) return false
    this.#hook = undefined
    this.#retryAt = this.#options.clock.now() + RETRY_MS
    return true
  }

  async #obtain(): Promise<Hook | undefined> {
    const { clock, log } = this.#options
    if (this.#hook || this.#closed || clock.now() < this.#retryAt) return this.#hook
    this.#retryAt = clock.now() + RETRY_MS
    try {
      this.#hook = await this.#find()
    } catch (error) {
      log.warn({ ...this.#about, ...errorFields(error) }, 'no webhook for captions')
    }
    return this.#hook
  }

  async #find(): Promise<Hook | undefined> {
    const { client, register, channelId } = this.#options
    const channel = await client.channels.fetch(channelId)
    if (!channel || channel.isDMBased()) return undefined
    this.#threadId = channel.isThread() ? channel.id : undefined
    const parent = channel.isThread() ? channel.parent : channel
    if (!parent || !('createWebhook' in parent)) return undefined
    const granted = register.permissionsIn(parent)
    if (granted !== undefined && !(granted & PermissionFlagsBits.ManageWebhooks)) return undefined
    return ownHook(parent as VoiceChannel, client.application?.id)
  }
}

/** Returns the webhook of this application, created if necessary. Others with its name are deleted. */
async function ownHook(channel: VoiceChannel, applicationId: string | undefined): Promise<Hook> {
  const hooks = await channel.fetchWebhooks()
  const own = [...hooks.values()].filter(
    (hook): hook is Hook => hook.isIncoming() && hook.name === NAME && hook.applicationId === applicationId,
  )
  const [kept, ...surplus] = own
  for (const hook of surplus) await hook.delete()
  return kept ?? (await channel.createWebhook({ name: NAME }))
}
