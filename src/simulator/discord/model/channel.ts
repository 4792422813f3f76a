import type { Json } from '../json.ts'
import type { Guild } from './guild.ts'
import type { Member } from './member.ts'
import type { Message } from './message.ts'
import { allows, NO_PERMISSIONS, type Overwrite, permissionsOf } from './permissions.ts'
import type { Thread } from './thread.ts'

/** Discord: Channel Types. */
const CHANNEL_TYPES = { text: 0, voice: 2, thread: 11, stage: 13 } as const
/** Kind of a channel. */
export type ChannelKind = keyof typeof CHANNEL_TYPES

/** Common to every channel of a guild: a name, permission overwrites, and a chat. */
export abstract class Channel {
  abstract readonly kind: ChannelKind
  readonly id: string
  readonly guild: Guild
  name: string
  /** By the id of the role or member. */
  readonly overwrites = new Map<string, Overwrite>()
  /** Messages of its chat, oldest first, including deleted and ephemeral ones. */
  readonly messages: Message[] = []
  readonly threads: Thread[] = []
  readonly #position: number

  /** Creates its own id unless `id` is given. */
  constructor(guild: Guild, name: string, id = guild.world.ids.next()) {
    this.id = id
    this.guild = guild
    this.name = name
    this.#position = guild.channels.size
  }

  /** Messages visible to everyone: neither deleted nor ephemeral. */
  get visible(): readonly Message[] {
    return this.messages.filter(({ deleted, ephemeral }) => !deleted && !ephemeral)
  }

  /** Permissions of `member` in this channel. */
  permissionsOf(member: Member): bigint {
    const bits = permissionsOf(member.standing, [...this.overwrites.values()])
    return allows(bits, 'ViewChannel') ? bits : NO_PERMISSIONS
  }

  /** Discord: Channel Object. */
  get json(): Json {
    return {
      id: this.id,
      type: CHANNEL_TYPES[this.kind],
      guild_id: this.guild.id,
      name: this.name,
      position: this.#position,
      parent_id: null,
      nsfw: false,
      flags: 0,
      rate_limit_per_user: 0,
      last_message_id: this.messages.at(-1)?.id ?? null,
      permission_overwrites: Array.from(this.overwrites.values(), ({ id, type, allow, deny }) => ({
        id,
        type: type === 'role' ? 0 : 1,
        allow: String(allow),
        deny: String(deny),
      })),
    }
  }
}
