import { isoTime } from '../../../src/common/wall-clock.ts'
import type { Json } from '../json.ts'
import type { Guild } from './guild.ts'
import type { Member } from './member.ts'
import type { Message } from './message.ts'
import { allows, NO_PERMISSIONS, type Overwrite, permissionsOf } from './permissions.ts'
import type { User } from './user.ts'

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

/** A text channel. */
export class TextChannel extends Channel {
  readonly kind = 'text'

  override get json(): Json {
    return { ...super.json, topic: null, default_auto_archive_duration: 1440 }
  }
}

export interface ThreadOptions {
  readonly name: string
  readonly owner: User
  readonly autoArchiveMinutes: number
  /** Visible only to invited members. */
  readonly private?: boolean
}

const PRIVATE = 12

/** A thread of a text channel. */
export class Thread extends Channel {
  readonly kind = 'thread'
  readonly parent: Channel
  readonly owner: User
  archived = false
  locked = false
  readonly #options: Pick<ThreadOptions, 'autoArchiveMinutes' | 'private'>
  readonly #createdAt: number

  constructor(parent: Channel, { name, owner, ...options }: ThreadOptions) {
    super(parent.guild, name)
    this.parent = parent
    this.owner = owner
    this.#options = options
    this.#createdAt = parent.guild.world.wallClock()
  }

  /** Like its parent's. */
  override permissionsOf(member: Member): bigint {
    return this.parent.permissionsOf(member)
  }

  override get json(): Json {
    return {
      ...super.json,
      ...(this.#options.private ? { type: PRIVATE } : {}),
      parent_id: this.parent.id,
      owner_id: this.owner.id,
      message_count: this.messages.length,
      member_count: 1,
      total_message_sent: this.messages.length,
      thread_metadata: {
        archived: this.archived,
        locked: this.locked,
        auto_archive_duration: this.#options.autoArchiveMinutes,
        archive_timestamp: isoTime(this.#createdAt),
        create_timestamp: isoTime(this.#createdAt),
      },
    }
  }
}
