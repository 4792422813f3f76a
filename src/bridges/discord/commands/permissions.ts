import { PermissionFlagsBits } from 'discord.js'
import { type Purpose, USED, type UsedPermission } from '../../../messages/discord/types.ts'

/** Permission names in display order. */
export const USED_PERMISSIONS = Object.keys(USED) as readonly UsedPermission[]

/** Returns the permissions needed for `purposes`, without duplicates. */
export function neededFor(purposes: readonly Purpose[]): readonly UsedPermission[] {
  return USED_PERMISSIONS.filter(name => USED[name].some(each => purposes.includes(each)))
}

/** Returns those of `needed` that are not in `granted`. Administrators have all. */
export function missingFrom(granted: bigint, needed: readonly UsedPermission[]): readonly UsedPermission[] {
  if (granted & PermissionFlagsBits.Administrator) return []
  return needed.filter(name => (granted & PermissionFlagsBits[name]) === 0n)
}

/** All used permissions, as Discord's bit set. */
export function allPermissions(): bigint {
  return USED_PERMISSIONS.reduce((bits, name) => bits | PermissionFlagsBits[name], 0n)
}

/**
 * Returns the address for adding the bot to a server, with exactly the permissions it uses (Discord: OAuth2, Bot
 * Authorization Flow). `guildId` preselects the server. Throws `RangeError` for invalid IDs.
 */
export function inviteUrl(applicationId: string, guildId?: string): string {
  for (const id of [applicationId, guildId ?? '1'])
    if (!/^\d{1,20}$/.test(id)) throw new RangeError(`a Discord ID has up to 20 digits, got "${id}"`)
  const url = new URL('https://discord.com/oauth2/authorize')
  url.searchParams.set('client_id', applicationId)
  url.searchParams.set('permissions', String(allPermissions()))
  url.searchParams.set('scope', 'bot applications.commands')
  if (guildId !== undefined) {
    url.searchParams.set('guild_id', guildId)
    url.searchParams.set('disable_guild_select', 'true')
  }
  return url.href
}
