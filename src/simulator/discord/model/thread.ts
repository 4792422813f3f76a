import { isoTime } from '../../../common/wall-clock.ts'
import type { Json } from '../json.ts'
import { Channel } from './channel.ts'
import type { Member } from './member.ts'
import type { Message } from './message.ts'
import type { User } from './user.ts'

export interface ThreadTerms {
  readonly name: string
  readonly owner: User
  readonly autoArchiveMinutes: number
  /** Visible only to invited members. */
  readonly private?: boolean
  /** The message it starts from. */
  readonly starter?: Message
}

const PRIVATE = 12

/** A thread of a text channel, started from a message or separately. */
export class Thread extends Channel {
  readonly kind = 'thread'
  readonly parent: Channel
  readonly owner: User
  archived = false
  locked = false
  readonly #terms: Pick<ThreadTerms, 'autoArchiveMinutes' | 'private'>
  readonly #createdAt: number

  /** A thread that starts from a message has that message's id. */
  constructor(parent: Channel, { name, owner, starter, ...terms }: ThreadTerms) {
    super(parent.guild, name, starter?.id)
    this.parent = parent
    this.owner = owner
    this.#terms = terms
    this.#createdAt = parent.guild.world.wallClock()
  }

  /** Like its parent's. */
  override permissionsOf(member: Member): bigint {
    return this.parent.permissionsOf(member)
  }

  /** The message it starts from. */
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
