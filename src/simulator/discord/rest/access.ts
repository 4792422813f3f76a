import type { Channel } from '../model/channel.ts'
import type { Guild } from '../model/guild.ts'
import type { Message } from '../model/message.ts'
import type { PermissionName } from '../model/permissions.ts'
import { VoiceChannel } from '../model/voice-channel.ts'
import type { World } from '../model/world.ts'
import { ApiError } from './api-error.ts'

/** The guild of a path. Throws `ApiError`. */
export function guildOf(world: World, id: string | undefined): Guild {
  const guild = world.guilds.get(id ?? '')
  if (!guild) throw ApiError.of(world.left.has(id ?? '') ? 50001 : 10004)
  return guild
}

/** The channel of a path, which must be visible to the bot with `permissions`. Throws `ApiError`. */
export function channelOf(
  world: World,
  id: string | undefined,
  ...permissions: readonly PermissionName[]
): Channel {
  const channel = world.channel(id ?? '')
  if (!channel) throw ApiError.of(10003)
  const { bot } = channel.guild
  if (!bot.can('ViewChannel', channel)) throw ApiError.of(50001)
  // The chat of a voice channel requires the permission to connect to it.
  if (channel instanceof VoiceChannel && !bot.can('Connect', channel)) throw ApiError.of(50001)
  if (!permissions.every(name => bot.can(name, channel))) throw ApiError.of(50013)
  return channel
}

/** A message visible to everyone. Throws `ApiError`. */
export function messageOf(channel: Channel, id: string | undefined): Message {
  const message = channel.visible.find(each => each.id === id)
  if (!message) throw ApiError.of(10008)
  return message
}
