import {
  type ButtonInteraction,
  ChannelType,
  type ChatInputCommandInteraction,
  type GuildBasedChannel,
  GuildFeature,
  MessageFlags,
} from 'discord.js'
import { escaped } from '../captions/markdown.ts'
import type { Place, Scene } from './scene.ts'

const KINDS: Readonly<Partial<Record<ChannelType, Place['kind']>>> = {
  [ChannelType.GuildVoice]: 'voice',
  [ChannelType.GuildStageVoice]: 'stage',
  [ChannelType.GuildText]: 'text',
  [ChannelType.GuildAnnouncement]: 'text',
  [ChannelType.PublicThread]: 'thread',
  [ChannelType.PrivateThread]: 'thread',
  [ChannelType.AnnouncementThread]: 'thread',
}

/** Returns the user and place of an interaction in a guild, from the cache of discord.js. */
export function sceneOf(
  interaction: ChatInputCommandInteraction<'cached'> | ButtonInteraction<'cached'>,
): Scene {
  const { guild, user, member, locale, channelId, memberPermissions, client } = interaction
  const { me } = guild.members
  const voiceChannelId = guild.voiceStates.cache.get(user.id)?.channelId ?? undefined
  const placeOf = (channel: GuildBasedChannel): Place => {
    const states = guild.voiceStates.cache.filter(state => state.channelId === channel.id)
    return {
      id: channel.id,
      kind: KINDS[channel.type] ?? 'other',
      granted: (me && channel.permissionsFor(me)?.bitfield) ?? 0n,
      askersOwn: channel.permissionsFor(member)?.bitfield ?? 0n,
      memberIds: [...states.keys()],
      userLimit: 'userLimit' in channel ? channel.userLimit : 0,
      away: guild.afkChannelId === channel.id,
    }
  }
  return {
    guildId: guild.id,
    // Only communities choose a language; all other guilds report English (Discord: Guild Object).
    guildLocale: guild.features.includes(GuildFeature.Community) ? guild.preferredLocale : locale,
    channelId,
    asker: {
      id: user.id,
      name: escaped(member.displayName),
      locale,
      permissions: memberPermissions.bitfield,
      roleIds: [...member.roles.cache.keys()],
      ...(voiceChannelId === undefined ? {} : { voiceChannelId }),
    },
    botRole: escaped(me?.roles.botRole?.name ?? me?.displayName ?? client.user.displayName),
    botTimedOut: me?.isCommunicationDisabled() ?? false,
    place(id) {
      const channel = guild.channels.cache.get(id)
      return channel && placeOf(channel)
    },
    nameOf(userId) {
      const known = guild.members.cache.get(userId) ?? client.users.cache.get(userId)
      // Discord resolves the mention, and alerts no one unless mentions are allowed.
      return known ? escaped(known.displayName) : `<@${userId}>`
    },
    async say(id, text) {
      const channel = guild.channels.cache.get(id)
      if (!channel?.isSendable()) throw new RangeError(`cannot write to channel ${id}`)
      const flags = MessageFlags.SuppressNotifications
      await channel.send({ content: text, allowedMentions: { parse: [] }, flags })
    },
  }
}
