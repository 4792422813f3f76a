import {
  type APIChannel,
  type APIGuild,
  type APIGuildMember,
  ChannelType,
  OverwriteType,
  PermissionFlagsBits,
  type REST,
  Routes,
} from 'discord.js'
import type { Config } from '../../app/settings/load.ts'
import type { Purpose } from '../../bridges/discord/commands/permissions.ts'
import { inviteUrl, missingFrom, neededFor } from '../../bridges/discord/commands/permissions.ts'
import { type RestTrouble, restTrouble } from '../../bridges/discord/commands/rest.ts'
import { type Check, fail, ok, warn } from './check.ts'

/** Data that determines permissions in a guild. */
export interface GuildStanding {
  readonly guild: Pick<APIGuild, 'id' | 'owner_id' | 'roles' | 'afk_channel_id'>
  readonly member: Pick<APIGuildMember, 'roles'> & { readonly user: { readonly id: string } }
}

const ALL = (1n << 64n) - 1n

/** Returns a member’s permissions in a channel (Discord: Permissions, Permission Overwrites). */
function permissionsIn({ guild, member }: GuildStanding, channel: APIChannel): bigint {
  const id = member.user.id
  if (guild.owner_id === id) return ALL
  const own = new Set([guild.id, ...member.roles])
  let bits = 0n
  for (const role of guild.roles) if (own.has(role.id)) bits |= BigInt(role.permissions)
  if (bits & PermissionFlagsBits.Administrator) return ALL
  const overwrites = ('permission_overwrites' in channel && channel.permission_overwrites) || []
  const everyone = overwrites.filter(each => each.id === guild.id)
  const roles = overwrites.filter(
    each => each.type === OverwriteType.Role && each.id !== guild.id && own.has(each.id),
  )
  const personal = overwrites.filter(each => each.type === OverwriteType.Member && each.id === id)
  for (const level of [everyone, roles, personal]) {
    for (const { deny } of level) bits &= ~BigInt(deny)
    for (const { allow } of level) bits |= BigInt(allow)
  }
  return bits
}

/** Returns the role created by the bot’s invitation, which grants its permissions. */
function botRoleOf({ guild, member }: GuildStanding): string {
  const own = guild.roles.find(({ tags }) => tags?.bot_id === member.user.id)
  return own?.name ?? 'of the bot'
}

/** Maximum number of guilds searched for a channel that the bot cannot see. */
const MOST_GUILDS = 20

export interface DiscordCheckOptions {
  readonly rest: REST
  readonly applicationId: string
  readonly botId: string
  readonly guildIds: readonly string[]
}

/** Checks whether the bot has the required permissions in each channel that it joins by itself. Never rejects. */
export async function channelChecks({ discord }: Config, options: DiscordCheckOptions): Promise<Check[]> {
  const standings = new Map<string, Promise<GuildStanding>>()
  const standingIn = (guildId: string) => {
    const known = standings.get(guildId) ?? standingOf(guildId, options)
    standings.set(guildId, known)
    return known
  }
  const checks: Check[] = []
  // Sequential, because Discord limits concurrent requests.
  for (const id of new Set(discord.autoJoin)) {
    try {
      checks.push(await channelCheck(id, discord, options, standingIn))
    } catch (error) {
      checks.push(troubleCheck(`channel ${id}`, restTrouble(error)))
    }
  }
  return checks
}

async function channelCheck(
  id: string,
  { captions }: Config['discord'],
  options: DiscordCheckOptions,
  standingIn: (guildId: string) => Promise<GuildStanding>,
): Promise<Check> {
  const name = `channel ${id}`
  const channel = await foundChannel(id, options)
  if (!channel)
    return fail(
      name,
      'the channel does not exist, or the bot is not in its guild',
      `fix discord.autoJoin (right-click the channel, Copy Channel ID), or invite the bot: ${inviteUrl(options.applicationId)}`,
    )
  const { type } = channel
  const stage = type === ChannelType.GuildStageVoice
  const shown = `${name} (${channel.name})`
  if (!stage && type !== ChannelType.GuildVoice)
    return fail(shown, 'is not a voice channel', 'name a voice channel in discord.autoJoin')
  const standing = await standingIn(channel.guild_id)
  if (standing.guild.afk_channel_id === id)
    return fail(shown, 'is the AFK channel, in which no one can speak', 'name another channel')
  const granted = permissionsIn(standing, channel)
  const needed: Purpose[] = ['listen', stage ? 'stage' : 'speak', 'write']
  const { style } = captions
  const wished: Purpose[] = style === 'embed' || style === 'webhook' ? [...needed, style] : needed
  const missing = missingFrom(granted, neededFor(wished)).join(', ')
  if (missing === '') return ok(shown, 'all permissions')
  const fix = `edit the channel, Permissions, role ${botRoleOf(standing)}: allow ${missing}`
  return missingFrom(granted, neededFor(needed)).length > 0
    ? fail(shown, `missing: ${missing}`, fix)
    : warn(shown, `missing: ${missing}, so captions are plain`, fix)
}

type GuildChannel = APIChannel & { readonly guild_id: string; readonly name: string | null }

/** Finds the channel, even if the bot cannot see it or connect to it, without which Discord does not show it. */
async function foundChannel(
  id: string,
  { rest, guildIds }: DiscordCheckOptions,
): Promise<GuildChannel | undefined> {
  try {
    const channel = (await rest.get(Routes.channel(id))) as APIChannel
    return 'guild_id' in channel && channel.guild_id ? (channel as GuildChannel) : undefined
  } catch (error) {
    const trouble = restTrouble(error)
    if (trouble.kind === 'unknown') return undefined
    if (trouble.kind !== 'forbidden') throw error
  }
  for (const guildId of guildIds.slice(0, MOST_GUILDS)) {
    const channels = (await rest.get(Routes.guildChannels(guildId))) as readonly APIChannel[]
    const found = channels.find(each => each.id === id)
    if (found) return { ...found, guild_id: guildId } as GuildChannel
  }
  return undefined
}

async function standingOf(guildId: string, { rest, botId }: DiscordCheckOptions): Promise<GuildStanding> {
  const guild = (await rest.get(Routes.guild(guildId))) as APIGuild
  const member = (await rest.get(Routes.guildMember(guildId, botId))) as APIGuildMember
  return { guild, member: { ...member, user: { id: botId } } }
}

/** Reports what could not be queried. */
export function troubleCheck(name: string, { kind, text }: RestTrouble): Check {
  switch (kind) {
    case 'limited':
      return warn(name, text, 'wait a little, then run this again')
    case 'broken':
      return warn(name, text, 'Discord has an outage: see discordstatus.com')
    case 'unreachable':
      return fail(name, text, 'discord.com must be reachable over https, also through proxies and firewalls')
    default:
      return fail(name, text, 'see docs/channels/discord.md, Troubleshooting')
  }
}
