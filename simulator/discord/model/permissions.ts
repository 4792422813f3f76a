import type { Json } from '../json.ts'

/** Permission bits (Discord: Permissions, bitwise permission flags). */
const BITS = {
  CreateInstantInvite: 0n,
  KickMembers: 1n,
  BanMembers: 2n,
  Administrator: 3n,
  ManageChannels: 4n,
  ManageGuild: 5n,
  AddReactions: 6n,
  ViewAuditLog: 7n,
  PrioritySpeaker: 8n,
  Stream: 9n,
  ViewChannel: 10n,
  SendMessages: 11n,
  SendTTSMessages: 12n,
  ManageMessages: 13n,
  EmbedLinks: 14n,
  AttachFiles: 15n,
  ReadMessageHistory: 16n,
  MentionEveryone: 17n,
  UseExternalEmojis: 18n,
  Connect: 20n,
  Speak: 21n,
  MuteMembers: 22n,
  DeafenMembers: 23n,
  MoveMembers: 24n,
  UseVAD: 25n,
  ChangeNickname: 26n,
  ManageNicknames: 27n,
  ManageRoles: 28n,
  ManageWebhooks: 29n,
  ManageGuildExpressions: 30n,
  UseApplicationCommands: 31n,
  RequestToSpeak: 32n,
  ManageEvents: 33n,
  ManageThreads: 34n,
  CreatePublicThreads: 35n,
  CreatePrivateThreads: 36n,
  UseExternalStickers: 37n,
  SendMessagesInThreads: 38n,
  UseEmbeddedActivities: 39n,
  ModerateMembers: 40n,
  UseSoundboard: 42n,
  UseExternalSounds: 45n,
  SendVoiceMessages: 46n,
  SetVoiceChannelStatus: 48n,
  SendPolls: 49n,
  UseExternalApps: 50n,
  PinMessages: 51n,
} as const

/** A permission, by Discord’s name for it. */
export type PermissionName = keyof typeof BITS

/** All permissions that can be granted, without duplicates. */
export const PERMISSION_NAMES = Object.keys(BITS) as readonly PermissionName[]

export const NO_PERMISSIONS = 0n
const ALL_PERMISSIONS = bitsOf(PERMISSION_NAMES)

/** Permissions of @everyone in a new guild. */
export const DEFAULT_PERMISSIONS = bitsOf([
  'CreateInstantInvite',
  'AddReactions',
  'Stream',
  'ViewChannel',
  'SendMessages',
  'EmbedLinks',
  'AttachFiles',
  'ReadMessageHistory',
  'MentionEveryone',
  'UseExternalEmojis',
  'Connect',
  'Speak',
  'UseVAD',
  'ChangeNickname',
  'UseApplicationCommands',
  'RequestToSpeak',
  'CreatePublicThreads',
  'CreatePrivateThreads',
  'SendMessagesInThreads',
])

/** The bits of `names`. Throws `RangeError` for an unknown name. */
export function bitsOf(names: readonly PermissionName[]): bigint {
  let bits = 0n
  for (const name of names) {
    const bit = BITS[name]
    if (bit === undefined) throw new RangeError(`unknown permission: ${String(name)}`)
    bits |= 1n << bit
  }
  return bits
}

export function allows(bits: bigint, ...names: readonly PermissionName[]): boolean {
  const wanted = bitsOf(names)
  return (bits & wanted) === wanted
}

/** A permission overwrite of one channel, for a role or for one member. */
export interface Overwrite {
  readonly id: string
  readonly type: 'role' | 'member'
  readonly allow: bigint
  readonly deny: bigint
}

export interface Standing {
  /** Of the guild; its role @everyone has the same id. */
  readonly guildId: string
  readonly memberId: string
  readonly owner: boolean
  /** The permissions of @everyone and of each role of the member, by the role's id. */
  readonly roles: ReadonlyMap<string, bigint>
}

/** Permissions in the guild as a whole, or with `overwrites` in one of its channels (Discord: Permission Overwrites). */
export function permissionsOf(standing: Standing, overwrites: readonly Overwrite[] = []): bigint {
  if (standing.owner) return ALL_PERMISSIONS
  let bits = 0n
  for (const granted of standing.roles.values()) bits |= granted
  if (allows(bits, 'Administrator')) return ALL_PERMISSIONS
  const everyone = overwrites.filter(({ id }) => id === standing.guildId)
  const roles = overwrites.filter(
    ({ id, type }) => type === 'role' && id !== standing.guildId && standing.roles.has(id),
  )
  const member = overwrites.filter(({ id, type }) => type === 'member' && id === standing.memberId)
  for (const level of [everyone, roles, member]) {
    for (const { deny } of level) bits &= ~deny
    for (const { allow } of level) bits |= allow
  }
  return bits
}

/** A set of permissions for members. */
export class Role {
  readonly id: string
  readonly name: string
  permissions: bigint
  readonly #position: number
  /** Set for the bot's own role, which its invitation created. */
  readonly #botId: string | undefined

  constructor(options: { id: string; name: string; permissions: bigint; position: number; botId?: string }) {
    this.id = options.id
    this.name = options.name
    this.permissions = options.permissions
    this.#position = options.position
    this.#botId = options.botId
  }

  /** Replaces the permissions; publish the change with `guild.setRole`. */
  grant(names: readonly PermissionName[]): void {
    this.permissions = bitsOf(names)
  }

  /** Discord: Role Object. */
  get json(): Json {
    return {
      id: this.id,
      name: this.name,
      permissions: String(this.permissions),
      position: this.#position,
      color: 0,
      colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
      hoist: false,
      icon: null,
      unicode_emoji: null,
      managed: this.#botId !== undefined,
      mentionable: false,
      flags: 0,
      ...(this.#botId === undefined ? {} : { tags: { bot_id: this.#botId } }),
    }
  }
}
