import { PermissionFlagsBits } from 'discord.js'
import type { ChannelInterpreter } from '../channel-interpreter.ts'
import type { CommandSettings } from './command-services.ts'
import type { Asker, Scene } from './scene.ts'

const { Administrator, ManageChannels, ManageGuild, MuteMembers } = PermissionFlagsBits

/** Returns whether the user may stop or change the running interpreter: they started it, are in it, or manage channels. */
export function mayChange(
  scene: Scene,
  interpreter: ChannelInterpreter,
  starter: string | undefined,
): boolean {
  const { asker } = scene
  if (starter === asker.id || asker.voiceChannelId === interpreter.channelId) return true
  return managesChannels(scene, interpreter.channelId)
}

/** Returns whether the user manages channels, in general or in that channel. */
export function managesChannels({ asker, place }: Scene, channelId: string): boolean {
  return has(asker.permissions | (place(channelId)?.askersOwn ?? 0n), ManageChannels)
}

/** Returns whether the user may decide for others. */
export function moderates({ permissions }: Asker): boolean {
  return has(permissions, MuteMembers) || has(permissions, ManageChannels)
}

/** Returns whether the user may start phone calls. */
export function mayDial({ permissions, roleIds }: Asker, { dialRoles }: CommandSettings): boolean {
  return has(permissions, ManageGuild) || roleIds.some(role => dialRoles.includes(role))
}

function has(granted: bigint, permission: bigint): boolean {
  return (granted & (permission | Administrator)) !== 0n
}
