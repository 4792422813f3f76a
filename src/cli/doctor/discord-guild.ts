import {
  type APIChannel,
  type APIGuild,
  type APIGuildMember,
  OverwriteType,
  PermissionFlagsBits,
} from 'discord.js'

/** Data that determines permissions in a guild. */
export interface GuildStanding {
  readonly guild: Pick<APIGuild, 'id' | 'owner_id' | 'roles' | 'afk_channel_id'>
  readonly member: Pick<APIGuildMember, 'roles'> & { readonly user: { readonly id: string } }
}

const ALL = (1n << 64n) - 1n

/** Returns a member’s permissions in a channel (Discord: Permissions, Permission Overwrites). */
export function permissionsIn({ guild, member }: GuildStanding, channel: APIChannel): bigint {
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
export function botRoleOf({ guild, member }: GuildStanding): string {
  const own = guild.roles.find(({ tags }) => tags?.bot_id === member.user.id)
  return own?.name ?? 'of the bot'
}
