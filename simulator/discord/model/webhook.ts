import type { Json } from '../json.ts'
import { ApiError } from '../rest/api-error.ts'
import type { Channel } from './channel.ts'
import type { Message } from './message.ts'
import type { MessageDraft } from './message-draft.ts'
import type { World } from './world.ts'

/** Posts without a login, by a path with a token in it: a webhook, or an interaction that is being answered. */
export interface WebhookTarget {
  post(draft: MessageDraft): Message
  /** By its id, or `@original`. Throws `ApiError`. */
  message(id: string): Message
  edit(message: Message, draft: MessageDraft): void
  delete(message: Message): void
}

/** Posts into one channel, under any name. */
export class Webhook {
  readonly id: string
  readonly token: string
  readonly channel: Channel
  name: string
  readonly #world: World

  constructor(channel: Channel, name: string) {
    const { world } = channel.guild
    this.id = world.ids.next()
    this.token = Buffer.from(`webhook:${this.id}:${world.ids.next()}`).toString('base64url')
    this.channel = channel
    this.name = name
    this.#world = world
  }

  /** Posts in its channel, or in a thread of it, under its own name and picture or others. */
  into(thread: Channel | undefined, name = this.name, avatarUrl?: string): WebhookTarget {
    const place = thread ?? this.channel
    const { chat } = this.#world
    return {
      post: draft =>
        chat.post(place, draft, {
          webhook: { id: this.id, name, ...(avatarUrl === undefined ? {} : { avatarUrl }) },
        }),
      message: id => {
        const found = place.visible.find(message => message.id === id && message.webhook?.id === this.id)
        if (!found) throw ApiError.of(10008)
        return found
      },
      edit: (message, draft) => chat.edit(message, draft),
      delete: message => chat.delete(message),
    }
  }

  /** Discord: Webhook Object. */
  get json(): Json {
    const { application, bot } = this.#world
    return {
      id: this.id,
      type: 1,
      token: this.token,
      name: this.name,
      avatar: null,
      channel_id: this.channel.id,
      guild_id: this.channel.guild.id,
      application_id: application.id,
      user: bot.json,
    }
  }
}
