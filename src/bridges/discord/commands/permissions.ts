import { PermissionFlagsBits } from 'discord.js'

/** Purpose of a permission. */
export type Purpose =
  /** Joining a voice channel and listening. */
  | 'listen'
  /** Speaking translations in a voice channel. */
  | 'speak'
  /** The same on a stage, where a moderator allows it. */
  | 'stage'
  /** Captions, notices and replies. */
  | 'write'
  /** Captions as embeds. */
  | 'embed'
  /** Captions in a separate thread. */
  | 'thread'
  /** Captions with the name and picture of their speaker. */
  | 'webhook'
  /** Marking its nickname while it listens (optional). */
  | 'show'

/** All permissions that the bot uses, with their purposes. It requests exactly these. */
const USED = {
  ViewChannel: ['listen', 'write'],
  Connect: ['listen'],
  Speak: ['speak'],
  RequestToSpeak: ['stage'],
  SendMessages: ['write'],
  ReadMessageHistory: ['write'],
  EmbedLinks: ['embed'],
  CreatePublicThreads: ['thread'],
  SendMessagesInThreads: ['thread'],
  ChangeNickname: ['show'],
  ManageWebhooks: ['webhook'],
} as const satisfies Partial<Record<keyof typeof PermissionFlagsBits, readonly Purpose[]>>

export type UsedPermission = keyof typeof USED

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

/** Purposes for which a permission is requested only if it is wanted: it allows much more. */
const ON_REQUEST: readonly Purpose[] = ['webhook']

export interface WantedPermissions {
  /** For captions with the name and picture of their speaker. Default: false. */
  readonly webhooks?: boolean | undefined
}

/** The permissions that an invitation requests. */
export function wantedPermissions({ webhooks = false }: WantedPermissions = {}): readonly UsedPermission[] {
  return USED_PERMISSIONS.filter(name => webhooks || !USED[name].some(each => ON_REQUEST.includes(each)))
}

/** All requested permissions, as Discord's bit set. */
export function allPermissions(wanted?: WantedPermissions): bigint {
  return wantedPermissions(wanted).reduce((bits, name) => bits | PermissionFlagsBits[name], 0n)
}

/**
 * Returns the address for adding the bot to a server, with exactly the permissions it uses (Discord: OAuth2, Bot
 * Authorization Flow). `guildId` preselects the server. Throws `RangeError` for invalid IDs.
 */
export function inviteUrl(applicationId: string, guildId?: string, wanted?: WantedPermissions): string {
  for (const id of [applicationId, guildId ?? '1'])
    if (!/^\d{1,20}$/.test(id)) throw new RangeError(`a Discord ID has up to 20 digits, got "${id}"`)
  const url = new URL('https://discord.com/oauth2/authorize')
  url.searchParams.set('client_id', applicationId)
  url.searchParams.set('permissions', String(allPermissions(wanted)))
  url.searchParams.set('scope', 'bot applications.commands')
  if (guildId !== undefined) {
    url.searchParams.set('guild_id', guildId)
    url.searchParams.set('disable_guild_select', 'true')
  }
  return url.href
}
