import type { Channel } from './channel.ts'
import type { Member } from './member.ts'
import { Message } from './message.ts'
import type { World } from './world.ts'

/** Who writes what in the chats. */
export class Chat {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  write(member: Member, channel: Channel, content: string): Message {
    const version = { at: this.#world.wallClock(), content, embeds: [], components: [] }
    const message = new Message({
      id: this.#world.ids.next(),
      channel,
      author: member.user,
      version,
      pings: [],
      flags: 0,
    })
    channel.messages.push(message)
    channel.guild.tell('MESSAGE_CREATE', { guild_id: channel.guild.id, ...message.json })
    return message
  }
}
