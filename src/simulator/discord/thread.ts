import { isoTime } from '../../core/wall-clock.ts'
import { Channel } from './channel.ts'
import type { Json } from './json.ts'
import type { Member } from './member.ts'
import type { Message } from './message/message.ts'
import type { User } from './user.ts'

/** A side conversation of a text channel, begun at a message or by itself. */
export class Thread extends Channel {
  readonly kind = 'thread'
  readonly parent: Channel
  readonly owner: User
  archived = false
  locked = false
  readonly #createdAt: number

  /** One that is begun at a message has that message's id. */
  constructor(parent: Channel, name: string, owner: User, starter?: Message) {
    super(parent.guild, name, starter?.id)
    this.parent = parent
    this.owner = owner
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
      parent_id: this.parent.id,
      owner_id: this.owner.id,
      message_count: this.messages.length,
      member_count: 1,
      total_message_sent: this.messages.length,
      thread_metadata: {
        archived: this.archived,
        locked: this.locked,
        auto_archive_duration: 1440,
        archive_timestamp: isoTime(this.#createdAt),
        create_timestamp: isoTime(this.#createdAt),
      },
    }
  }
}
