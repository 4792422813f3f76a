import type { Json } from '../json.ts'
import { ApiError } from '../rest/api-error.ts'
import type { Channel } from './channel.ts'
import type { Member } from './member.ts'
import type { MessageVersion } from './message.ts'
import { Message, type MessageOptions } from './message.ts'
import { ALL_MENTIONS, isEmpty, type MessageDraft, pingsIn, USER_MENTIONS } from './message-draft.ts'
import type { User } from './user.ts'
import type { World } from './world.ts'

/** Context and audience of a posted message. */
export type PostOptions = Pick<MessageOptions, 'ephemeralFor' | 'webhook' | 'loading'> & {
  /** Discord: Message Interaction Metadata. */
  readonly interaction?: Json
}

const KEPT_FLAGS = 4 | 4096 | 32_768

/** Posts and edits the messages of the chats. */
export class Chat {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /** A person posts and notifies the people they mention. Throws without permission. */
  write(member: Member, channel: Channel, content: string): Message {
    if (!member.can('SendMessages', channel))
      throw new Error(`${member.displayName} may not write in ${channel.name}`)
    const pings = this.#pings(content, ALL_MENTIONS, channel, member)
    return this.#post({ channel, author: member.user, version: this.#version({ content }), pings, flags: 0 })
  }

  /** The bot, or one of its webhooks, posts. Throws `ApiError` for an empty message. */
  post(channel: Channel, draft: MessageDraft, options: PostOptions = {}): Message {
    if (isEmpty(draft) && !options.loading) throw ApiError.of(50006)
    const { bot } = channel.guild
    const defaults = options.interaction ? USER_MENTIONS : ALL_MENTIONS
    const allowed = draft.allowedMentions ?? defaults
    const reference = this.#referenceOf(channel, draft)
    const pings = new Set(this.#pings(draft.content ?? '', allowed, channel, bot))
    if (reference && allowed.repliedUser && reference.author !== this.#world.bot)
      pings.add(reference.author.id)
    return this.#post({
      channel,
      author: bot.user,
      version: this.#version(draft),
      pings: [...pings],
      flags: draft.flags & KEPT_FLAGS,
      reference,
      ...options,
    })
  }

  /** Throws `ApiError` if the message would become empty. */
  edit(message: Message, draft: MessageDraft): void {
    const version = this.#version(draft, message.history.at(-1))
    const { content, embeds, components } = version
    if (isEmpty({ ...draft, content, embeds, components })) throw ApiError.of(50006)
    const { channel } = message
    const pings = this.#pings(content, draft.allowedMentions ?? USER_MENTIONS, channel, channel.guild.bot)
    message.edit(version, { pings })
    this.#tell('MESSAGE_UPDATE', message)
  }

  delete(message: Message): void {
    message.delete(this.#world.wallClock())
    const { channel } = message
    if (message.ephemeral) return
    channel.guild.tell('MESSAGE_DELETE', {
      id: message.id,
      channel_id: channel.id,
      guild_id: channel.guild.id,
    })
  }

  #post(options: Omit<MessageOptions, 'id'>): Message {
    const message = new Message({ id: this.#world.ids.next(), ...options })
    message.channel.messages.push(message)
    this.#tell('MESSAGE_CREATE', message)
    return message
  }

  /** Ephemeral messages are not published to others. */
  #tell(name: string, message: Message): void {
    const { guild } = message.channel
    if (!message.ephemeral && guild.bot.can('ViewChannel', message.channel))
      guild.tell(name, { guild_id: guild.id, ...message.json })
  }

  #version(
    {
      content,
      embeds,
      components,
      uploads,
    }: Partial<Pick<MessageDraft, 'content' | 'embeds' | 'components' | 'uploads'>>,
    before?: MessageVersion,
  ): MessageVersion {
    return {
      at: this.#world.wallClock(),
      content: content ?? before?.content ?? '',
      embeds: embeds ?? before?.embeds ?? [],
      components: components ?? before?.components ?? [],
      attachments:
        uploads?.map(upload => ({ id: this.#world.ids.next(), ...upload })) ?? before?.attachments ?? [],
    }
  }

  #referenceOf(channel: Channel, { referenceId, referenceMustExist }: MessageDraft): Message | undefined {
    if (referenceId === undefined) return undefined
    const found = channel.messages.find(({ id, deleted }) => id === referenceId && !deleted)
    if (found || !referenceMustExist) return found
    throw ApiError.of(50035)
  }

  #pings(
    content: string,
    allowed: typeof ALL_MENTIONS,
    channel: Channel,
    by: { can(name: 'MentionEveryone', channel: Channel): boolean; readonly user: User },
  ): readonly string[] {
    const { members, roles } = channel.guild
    const all = by.can('MentionEveryone', channel)
    return pingsIn(content, allowed).filter(id =>
      members.has(id) ? true : all && (!/^\d/.test(id) || roles.has(id)),
    )
  }
}
