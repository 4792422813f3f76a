import { isoTime } from '../../core/wall-clock.ts'
import { Channel } from './channel.ts'
import type { Json } from './json.ts'
import type { Member } from './member.ts'
import type { Message } from './message/message.ts'
import type { User } from './user.ts'

export interface ThreadTerms {
  readonly name: string
  readonly owner: User
  readonly autoArchiveMinutes: number
  /** Only who is asked in sees it. */
  readonly private?: boolean
  /** The message it is begun at. */
  readonly starter?: Message
}

const PRIVATE = 12

/** A side conversation of a text channel, begun at a message or by itself. */
export class Thread extends Channel {
  readonly kind = 'thread'
  readonly parent: Channel
  readonly owner: User
  archived = false
  locked = false
  readonly #terms: Pick<ThreadTerms, 'autoArchiveMinutes' | 'private'>
  readonly #createdAt: number

  /** One that is begun at a message has that message's id. */
  constructor(parent: Channel, { name, owner, starter, ...terms }: ThreadTerms) {
    super(parent.guild, name, starter?.id)
    this.parent = parent
    this.owner = owner
    this.#terms = terms
    this.#createdAt = parent.guild.world.wallClock()
  }

  /** As in its parent. */
  override permissionsOf(member: Member): bigint {
    return this.parent.permissionsOf(member)
  }

  /** The message it was begun at. */
  get starter(): Message | undefined {
    return this.parent.messages.find(({ thread }) => thread === this)
  }

  override get json(): Json {
    return {
      ...super.json,
      ...(this.#terms.private ? { type: PRIVATE } : {}),
      parent_id: this.parent.id,
      owner_id: this.owner.id,
      message_count: this.messages.length,
      member_count: 1,
      total_message_sent: this.messages.length,
      thread_metadata: {
        archived: this.archived,
        locked: this.locked,
        auto_archive_duration: this.#terms.autoArchiveMinutes,
        archive_timestamp: isoTime(this.#createdAt),
        create_timestamp: isoTime(this.#createdAt),
      },
    }
  }
}
