import { isoTime } from '../../../src/common/wall-clock.ts'
import type { Json } from '../json.ts'
import { type Channel, TextChannel } from './channel.ts'
import { Member, type MemberOptions } from './member.ts'
import { bitsOf, DEFAULT_PERMISSIONS, type PermissionName, Role } from './permissions.ts'
import { type DiscordLocale, localeOf, type User } from './user.ts'
import { VoiceChannel, type VoiceChannelOptions, type VoiceState } from './voice-channel.ts'
import { VoicePresence } from './voice-presence.ts'
import type { World } from './world.ts'

/** Discord: Guild Object, with the lists that GUILD_CREATE adds. */
function guildJson(guild: Guild): Json {
  const channels = [...guild.channels.values()]
  return {
    id: guild.id,
    name: guild.name,
    owner_id: guild.owner.id,
    preferred_locale: guild.locale,
    roles: Array.from(guild.roles.values(), ({ json }) => json),
    channels: channels.filter(({ kind }) => kind !== 'thread').map(({ json }) => json),
    threads: channels.filter(({ kind }) => kind === 'thread').map(({ json }) => json),
    members: Array.from(guild.members.values(), ({ json }) => json),
    voice_states: Array.from(guild.voiceStates.values(), ({ json }) => json),
    ...EMPTY,
  }
}

/** Fields that are empty for every guild here. */
const EMPTY: Json = {
  icon: null,
  splash: null,
  discovery_splash: null,
  banner: null,
  description: null,
  vanity_url_code: null,
  features: [],
  afk_channel_id: null,
  afk_timeout: 300,
  verification_level: 0,
  default_message_notifications: 0,
  explicit_content_filter: 0,
  mfa_level: 0,
  nsfw_level: 0,
  application_id: null,
  system_channel_id: null,
  system_channel_flags: 0,
  rules_channel_id: null,
  public_updates_channel_id: null,
  safety_alerts_channel_id: null,
  premium_tier: 0,
  premium_progress_bar_enabled: false,
  max_members: 500_000,
  emojis: [],
  stickers: [],
  presences: [],
  stage_instances: [],
  guild_scheduled_events: [],
  soundboard_sounds: [],
  hub_type: null,
  incidents_data: null,
}

/** A guild: its name and language, and the permissions of the bot and of everyone. */
export interface GuildOptions {
  name: string
  /** Default `en-US`. */
  locale?: DiscordLocale
  /** Permissions of the bot's own role, as requested by its invitation. Default: none beyond @everyone. */
  botPermissions?: readonly PermissionName[]
  /** Permissions of @everyone. Default: those of a new guild at Discord. */
  everyone?: readonly PermissionName[]
}

/** A guild with its members and the bot. */
export class Guild {
  readonly id: string
  readonly world: World
  readonly name: string
  readonly locale: DiscordLocale
  readonly roles = new Map<string, Role>()
  readonly channels = new Map<string, Channel>()
  readonly members = new Map<string, Member>()
  /** Of the members in a voice channel, by their id. */
  readonly voiceStates = new Map<string, VoiceState>()
  readonly voice: VoicePresence
  readonly everyone: Role
  /** The owner, who has all permissions; never one of the test's members. */
  readonly owner: Member
  /** The bot as a member. */
  readonly bot: Member
  readonly createdAt: number
  /** During an outage: no events, and no actions. */
  unavailable = false
  removed = false

  constructor(world: World, { name, locale = 'en-US', botPermissions = [], everyone }: GuildOptions) {
    this.id = world.ids.next()
    this.world = world
    this.name = name
    this.locale = localeOf(locale)
    this.createdAt = world.wallClock()
    this.voice = new VoicePresence(this)
    const permissions = everyone ? bitsOf(everyone) : DEFAULT_PERMISSIONS
    this.everyone = new Role({ id: this.id, name: '@everyone', permissions, position: 0 })
    this.roles.set(this.id, this.everyone)
    const own = new Role({
      id: world.ids.next(),
      name: world.bot.username,
      permissions: bitsOf(botPermissions),
      position: 1,
      botId: world.bot.id,
    })
    this.roles.set(own.id, own)
    this.owner = new Member(this, world.newUser({ name: 'Owner', locale }), {})
    this.bot = new Member(this, world.bot, { roles: [own] })
    for (const member of [this.owner, this.bot]) this.members.set(member.id, member)
  }

  addVoiceChannel(options: VoiceChannelOptions): VoiceChannel {
    return this.#add(new VoiceChannel(this, options))
  }

  addTextChannel({ name }: { name: string }): TextChannel {
    return this.#add(new TextChannel(this, name))
  }

  addRole({ name, permissions = [] }: { name: string; permissions?: readonly PermissionName[] }): Role {
    const bits = bitsOf(permissions)
    const role = new Role({ id: this.world.ids.next(), name, permissions: bits, position: this.roles.size })
    this.roles.set(role.id, role)
    this.tell('GUILD_ROLE_CREATE', { guild_id: this.id, role: role.json })
    return role
  }

  /** Changes the permissions of a role. */
  setRole(role: Role, permissions: readonly PermissionName[]): void {
    role.grant(permissions)
    this.tell('GUILD_ROLE_UPDATE', { guild_id: this.id, role: role.json })
    this.voice.permissionsChanged()
  }

  addMember({ user, ...options }: MemberOptions): Member {
    const who = user ?? this.world.newUser({ locale: this.locale, ...options })
    const member = new Member(this, who, options)
    if (this.members.has(member.id)) throw new RangeError(`${member.displayName} is in ${this.name} already`)
    this.members.set(member.id, member)
    this.tell('GUILD_MEMBER_ADD', { guild_id: this.id, ...member.json })
    return member
  }

  /** Removes a member, who leaves or is kicked. */
  async removeMember(member: Member): Promise<void> {
    await member.leave()
    this.members.delete(member.id)
    this.tell('GUILD_MEMBER_REMOVE', { guild_id: this.id, user: member.user.json })
  }

  /** Replaces the roles of a member. */
  setRoles(member: Member, roles: readonly Role[]): void {
    member.roles.splice(0, member.roles.length, ...roles)
    this.tell('GUILD_MEMBER_UPDATE', { guild_id: this.id, ...member.json })
    this.voice.permissionsChanged()
  }

  setNick(member: Member, nick: string | null): void {
    member.nick = nick
    this.tell('GUILD_MEMBER_UPDATE', { guild_id: this.id, ...member.json })
  }

  /** Replaces the overwrite of `who` in `channel`; empty lists remove it. */
  setPermissions(
    channel: Channel,
    who: Role | Member,
    { allow = [], deny = [] }: { allow?: readonly PermissionName[]; deny?: readonly PermissionName[] },
  ): void {
    const overwrite = {
      id: who.id,
      type: who instanceof Role ? ('role' as const) : ('member' as const),
      allow: bitsOf(allow),
      deny: bitsOf(deny),
    }
    if (allow.length + deny.length > 0) channel.overwrites.set(who.id, overwrite)
    else channel.overwrites.delete(who.id)
    this.tell('CHANNEL_UPDATE', channel.json)
    this.voice.permissionsChanged()
  }

  /** Disconnects the members in it; its messages stay readable here. */
  async deleteChannel(channel: Channel): Promise<void> {
    if (channel instanceof VoiceChannel) await this.voice.empty(channel)
    this.channels.delete(channel.id)
    this.tell(channel.kind === 'thread' ? 'THREAD_DELETE' : 'CHANNEL_DELETE', channel.json)
  }

  /** A moderator disconnects the bot from voice. */
  kickBot(): Promise<void> {
    return this.bot.leave()
  }

  /** A moderator moves the bot, which must be in a voice channel. */
  moveBot(channel: VoiceChannel): Promise<void> {
    return this.bot.moveTo(channel)
  }

  /** Removes the bot from the guild. */
  async remove(): Promise<void> {
    await this.bot.leave()
    this.removed = true
    this.tell('GUILD_DELETE', { id: this.id })
    this.world.guilds.delete(this.id)
    this.world.left.add(this.id)
  }

  /** Makes the guild unavailable for a while. */
  goDown(): void {
    this.tell('GUILD_DELETE', { id: this.id, unavailable: true })
    this.unavailable = true
  }

  comeBack(): void {
    this.unavailable = false
    this.tell('GUILD_CREATE', this.json)
  }

  usersIn(ids: readonly string[]): readonly User[] {
    return ids.flatMap(id => this.members.get(id)?.user ?? [])
  }

  /** Publishes an event of this guild. */
  tell(name: string, data: Json): void {
    if (!this.unavailable) this.world.tell(name, data, this.id)
  }

  /** The guild as sent in GUILD_CREATE. */
  get json(): Json {
    return {
      ...guildJson(this),
      joined_at: isoTime(this.createdAt),
      large: false,
      unavailable: false,
      member_count: this.members.size,
    }
  }

  #add<C extends Channel>(channel: C): C {
    this.channels.set(channel.id, channel)
    this.tell('CHANNEL_CREATE', channel.json)
    return channel
  }
}
