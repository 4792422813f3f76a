import { PermissionFlagsBits } from 'discord.js'

/** What a permission is used for. */
export type Purpose =
  /** Joining a voice channel and listening. */
  | 'listen'
  /** Saying translations in a voice channel. */
  | 'speak'
  /** The same on a stage, where a moderator lets it speak. */
  | 'stage'
  /** Captions, notices and answers. */
  | 'write'
  /** Captions in colour. */
  | 'embed'
  /** Captions in a thread of their own. */
  | 'thread'
  /** Showing by its name that it listens; it does without. */
  | 'show'

/** Every permission that the bot uses anywhere, and what for: nothing else is asked for, and nothing less. */
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
} as const satisfies Partial<Record<keyof typeof PermissionFlagsBits, readonly Purpose[]>>

export type UsedPermission = keyof typeof USED

/** Their names, in the order in which they are told. */
export const USED_PERMISSIONS = Object.keys(USED) as readonly UsedPermission[]

/** What is needed for all of `purposes`, each once. */
export function neededFor(purposes: readonly Purpose[]): readonly UsedPermission[] {
  return USED_PERMISSIONS.filter(name => USED[name].some(each => purposes.includes(each)))
}

/** Which of `needed` are not in `granted`. Administrators have all. */
export function missingFrom(granted: bigint, needed: readonly UsedPermission[]): readonly UsedPermission[] {
  if (granted & PermissionFlagsBits.Administrator) return []
  return needed.filter(name => (granted & PermissionFlagsBits[name]) === 0n)
}

/** All that is used, as Discord's bit set. */
export function allPermissions(): bigint {
  return USED_PERMISSIONS.reduce((bits, name) => bits | PermissionFlagsBits[name], 0n)
}

/**
 * The address that lets somebody who manages a server bring the bot in, with exactly the permissions it uses (Discord:
 * OAuth2, Bot Authorization Flow). `guildId` chooses the server. Throws `RangeError` for ids that are none.
 */
export function inviteUrl(applicationId: string, guildId?: string): string {
  for (const id of [applicationId, guildId ?? '1'])
    if (!/^\d{1,20}$/.test(id)) throw new RangeError(`an id of Discord has up to 20 digits, got "${id}"`)
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
