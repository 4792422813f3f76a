import { isoTime } from '../../core/wall-clock.ts'
import type { Channel } from './channel.ts'
import { guildJson } from './guild-json.ts'
import type { Json } from './json.ts'
import { type DiscordLocale, localeOf } from './locale.ts'
import { Member, type MemberOptions } from './member.ts'
import { bitsOf, DEFAULT_PERMISSIONS, type PermissionName } from './permissions.ts'
import { Role } from './role.ts'
import { TextChannel } from './text-channel.ts'
import type { User } from './user.ts'
import { VoiceChannel, type VoiceChannelOptions } from './voice-channel.ts'
import { VoicePresence } from './voice-presence.ts'
import type { VoiceState } from './voice-state.ts'
import type { World } from './world.ts'

/** A guild: its name and language, and what the bot and everybody may do in it. */
export interface GuildOptions {
  name: string
  /** Default `en-US`. */
  locale?: DiscordLocale
  /** What the bot's own role grants, as its invitation asked for. Default: nothing beyond what everybody may do. */
  botPermissions?: readonly PermissionName[]
  /** What everybody may do. Default: what Discord gives a new guild. */
  everyone?: readonly PermissionName[]
}

/** A server full of people, with the bot in it. */
export class Guild {
  readonly id: string
  readonly world: World
  readonly name: string
  readonly locale: DiscordLocale
  readonly roles = new Map<string, Role>()
  readonly channels = new Map<string, Channel>()
  readonly members = new Map<string, Member>()
  /** Of those who are in a voice channel, by their id. */
  readonly voiceStates = new Map<string, VoiceState>()
  readonly voice: VoicePresence
  readonly everyone: Role
  /** Who may do everything; nobody a test makes. */
  readonly owner: Member
  /** The bot here. */
  readonly bot: Member
  readonly createdAt: number
  /** Down: its events stop, and nobody can do anything. */
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

  /** The role grants other permissions from now on. */
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

  /** They leave the guild, or are thrown out. */
  async removeMember(member: Member): Promise<void> {
    await member.leave()
    this.members.delete(member.id)
    this.tell('GUILD_MEMBER_REMOVE', { guild_id: this.id, user: member.user.json })
  }

  /** The member has these roles from now on. */
  setRoles(member: Member, roles: readonly Role[]): void {
    member.roles.splice(0, member.roles.length, ...roles)
    this.tell('GUILD_MEMBER_UPDATE', { guild_id: this.id, ...member.json })
    this.voice.permissionsChanged()
  }

  setNick(member: Member, nick: string | null): void {
    member.nick = nick
    this.tell('GUILD_MEMBER_UPDATE', { guild_id: this.id, ...member.json })
  }

  /** The exception that holds for `who` in `channel`, in place of the one before; empty lists take it away. */
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

  /** Who is in it is disconnected; its messages stay readable here. */
  async deleteChannel(channel: Channel): Promise<void> {
    if (channel instanceof VoiceChannel) await this.voice.empty(channel)
    this.channels.delete(channel.id)
    this.tell(channel.kind === 'thread' ? 'THREAD_DELETE' : 'CHANNEL_DELETE', channel.json)
  }

  /** A moderator disconnects the bot from voice. */
  kickBot(): Promise<void> {
    return this.bot.leave()
  }

  /** A moderator moves the bot, who must be in a voice channel. */
  moveBot(channel: VoiceChannel): Promise<void> {
    return this.bot.moveTo(channel)
  }

  /** The bot is thrown out of the guild. */
  async remove(): Promise<void> {
    await this.bot.leave()
    this.removed = true
    this.tell('GUILD_DELETE', { id: this.id })
    this.world.guilds.delete(this.id)
    this.world.left.add(this.id)
  }

  /** Discord loses the guild for a while. */
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

  /** Something happened here. */
  tell(name: string, data: Json): void {
    if (!this.unavailable) this.world.tell(name, data, this.id)
  }

  /** As GUILD_CREATE carries it. */
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
