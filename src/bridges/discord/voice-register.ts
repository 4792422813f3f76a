import {
  type APIGuildMember,
  ChannelManager,
  type Client,
  Collection,
  calculateUserDefaultAvatarIndex,
  GatewayDispatchEvents,
  type GatewayGuildCreateDispatchData,
  type GatewayGuildDeleteDispatchData,
  type GatewayGuildMemberUpdateDispatchData,
  type GatewayVoiceState,
  type Guild,
  type GuildBasedChannel,
  GuildChannelManager,
  GuildManager,
  type GuildMember,
  LimitedCollection,
  type NonThreadGuildBasedChannel,
  PermissionFlagsBits,
  PermissionOverwriteManager,
  PermissionsBitField,
  RoleManager,
} from 'discord.js'

/** A member of a guild, as the gateway reports them. */
export interface KnownMember {
  readonly userId: string
  readonly bot: boolean
  /** Nickname, otherwise display name, otherwise user name. */
  readonly name: string
  readonly nickname: string | undefined
  /** With the role of everyone. */
  readonly roleIds: readonly string[]
  /** Address of the picture in the guild. */
  readonly picture: string
  /** End of a timeout by a moderator (ms since 1970). */
  readonly timedOutUntil: number | undefined
}

/** Someone in a voice channel. */
export interface Present {
  readonly userId: string
  readonly channelId: string
  readonly muted: boolean
  readonly deafened: boolean
  /** In the audience of a stage. */
  readonly suppressed: boolean
  /** Undefined: not reported yet. */
  readonly member: KnownMember | undefined
}

/** The bot's voice connection in a guild, if another part of the program has it. */
export interface Occupation {
  /** The channel that the bot is in, if it is in one yet. */
  readonly channelId: string | undefined
}

/** What is known about one guild. */
interface Entry {
  readonly present: Map<string, Present>
  me: KnownMember | undefined
  /**
   * The bot entered its channel since this process logged in, at the request of this process, but not by an adapter of
   * the client: Lavalink and the like ask the gateway themselves.
   */
  foreign: boolean
}

/**
 * Who is in the voice channels of the client's guilds, and what the bot itself may do there. It follows the gateway's
 * own messages, because the caches of a client are its owner's to limit: members, users and voice states can be missing
 * there at any time. Channels, roles and permissions come from the client; discord.js does not work without them.
 */
export class VoiceRegister implements Disposable {
  readonly #client: Client
  readonly #guilds = new Map<string, Entry>()
  readonly #off: (() => void)[] = []

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Returns why it cannot work with the client, as an addition to "the client …". Undefined: it can. Members, users and
   * voice states can be limited; but voice states that the client has received and need not have kept are lost.
   */
  static unusable({ guilds, options }: Client): string | undefined {
    const { makeCache } = options as { readonly makeCache: (...managers: unknown[]) => unknown }
    const limited = NEEDED.filter(manager => isLimited(makeCache(manager, undefined, manager)))
    if (limited.length > 0)
      return `limits caches that discord.js needs itself: remove ${limited.map(({ name }) => name).join(' and ')} from makeCache`
    const late = guilds.cache.filter(({ available }) => available)
    if (late.size === 0) return undefined
    const kept = late.every(
      ({ voiceStates: { cache } }) => Object.getPrototypeOf(cache) === Collection.prototype,
    )
    return kept && !options.sweepers?.voiceStates
      ? undefined
      : 'is logged in, and does not keep the voice states that it received: attach before client.login()'
  }

  /** Reads what the client knows already, and follows its gateway from now on. Call it once. */
  start(): void {
    for (const guild of this.#client.guilds.cache.values()) this.#read(guild)
    this.#on<GatewayGuildCreateDispatchData>(GatewayDispatchEvents.GuildCreate, data => this.#created(data))
    this.#on<GatewayGuildDeleteDispatchData>(GatewayDispatchEvents.GuildDelete, ({ id, unavailable }) => {
      if (!unavailable) this.#guilds.delete(id)
    })
    this.#on<GatewayVoiceState>(GatewayDispatchEvents.VoiceStateUpdate, state => this.#moved(state))
    this.#on<GatewayGuildMemberUpdateDispatchData>(GatewayDispatchEvents.GuildMemberUpdate, data =>
      this.#know(data.guild_id, this.#memberOf(data.guild_id, data)),
    )
  }

  [Symbol.dispose](): void {
    for (const off of this.#off.splice(0)) off()
    this.#guilds.clear()
  }

  /** Everyone in the channel except this bot, in the order of joining. */
  in(guildId: string, channelId: string): readonly Present[] {
    const me = this.#client.user?.id
    return Array.from(this.#guilds.get(guildId)?.present.values() ?? []).filter(
      each => each.channelId === channelId && each.userId !== me,
    )
  }

  /** Returns whether people are in the channel. A member who is not known yet counts. */
  hasPeople(guildId: string, channelId: string): boolean {
    return this.in(guildId, channelId).some(({ member }) => !member?.bot)
  }

  /** The user's place in a voice channel of the guild, if any. */
  of(guildId: string, userId: string): Present | undefined {
    return this.#guilds.get(guildId)?.present.get(userId)
  }

  /** The bot's place. */
  own(guildId: string): Present | undefined {
    return this.of(guildId, this.#client.user?.id ?? '')
  }

  /** The bot as a member; undefined: not known yet. */
  me(guildId: string): KnownMember | undefined {
    return this.#guilds.get(guildId)?.me
  }

  /** Requests the bot's own membership, if it is not known. Never rejects. */
  async load(guild: Guild): Promise<void> {
    if (!this.me(guild.id)) await this.fetch(guild, this.#client.user?.id ?? '')
  }

  /** Requests a member from Discord. Resolves with whether they are known now. Never rejects. */
  async fetch(guild: Guild, userId: string): Promise<boolean> {
    try {
      this.#know(
        guild.id,
        knownMember(await guild.members.fetch({ user: userId, force: true, cache: false })),
      )
      return true
    } catch {
      return false
    }
  }

  /** The bot's permissions in a channel (Discord's bits); undefined while they are unknown. */
  permissionsIn(channel: GuildBasedChannel): bigint | undefined {
    const place = channel.isThread() ? channel.parent : channel
    const me = this.me(channel.guildId)
    if (!place || !me) return undefined
    return permissionsOf(place, me)
  }

  /** The bot's permissions in the guild as a whole; undefined while they are unknown. */
  permissions(guild: Guild): bigint | undefined {
    const me = this.me(guild.id)
    return me && basePermissions(guild, me)
  }

  /**
   * Returns whether another part of the program has the bot's voice connection in the guild. Call it only while no
   * connection of this register's owner exists there. A place that a previous process left does not count.
   */
  occupation(guildId: string): Occupation | undefined {
    const { voice } = this.#client
    if (!voice.adapters.has(guildId) && !this.#guilds.get(guildId)?.foreign) return undefined
    return { channelId: this.own(guildId)?.channelId }
  }

  #on<T>(event: GatewayDispatchEvents, listener: (data: T) => void): void {
    const { ws } = this.#client
    ws.on(event, listener)
    this.#off.push(() => void ws.off(event, listener))
  }

  #entry(guildId: string): Entry {
    let entry = this.#guilds.get(guildId)
    if (!entry) {
      entry = { present: new Map(), me: undefined, foreign: false }
      this.#guilds.set(guildId, entry)
    }
    return entry
  }

  #read(guild: Guild): void {
    const { present } = this.#entry(guild.id)
    for (const {
      id: userId,
      channelId,
      serverMute,
      serverDeaf,
      suppress,
    } of guild.voiceStates.cache.values())
      if (channelId)
        present.set(userId, {
          ...{ userId, channelId, member: undefined },
          ...{ muted: serverMute ?? false, deafened: serverDeaf ?? false, suppressed: suppress ?? false },
        })
    for (const userId of [this.#client.user?.id ?? '', ...present.keys()]) {
      const member = guild.members.cache.get(userId)
      if (member && !member.partial) this.#know(guild.id, knownMember(member))
    }
  }

  /** The complete state of a guild, at the login, after an outage, or when the bot is added. */
  #created(data: GatewayGuildCreateDispatchData): void {
    if (data.unavailable) return
    const entry = this.#entry(data.id)
    const before = new Map(entry.present)
    entry.present.clear()
    for (const state of data.voice_states ?? []) {
      const known = before.get(state.user_id)?.member
      if (state.channel_id) entry.present.set(state.user_id, presentOf(state, state.channel_id, known))
      if (state.member?.user) this.#know(data.id, this.#memberOf(data.id, state.member))
    }
    const me = this.#client.user?.id
    for (const member of data.members ?? []) {
      const { id } = member.user
      if (id === me || entry.present.has(id)) this.#know(data.id, this.#memberOf(data.id, member))
    }
    if (!this.own(data.id)) entry.foreign = false
  }

  #moved(state: GatewayVoiceState): void {
    const { guild_id: guildId, user_id: userId, channel_id: channelId } = state
    if (!guildId) return
    const entry = this.#entry(guildId)
    const before = entry.present.get(userId)
    if (userId === this.#client.user?.id)
      entry.foreign =
        Boolean(channelId) && (before ? entry.foreign : !this.#client.voice.adapters.has(guildId))
    // Keeps the order of joining.
    if (before?.channelId !== channelId) entry.present.delete(userId)
    if (channelId) entry.present.set(userId, presentOf(state, channelId, before?.member))
    if (state.member?.user) this.#know(guildId, this.#memberOf(guildId, state.member))
  }

  /** Keeps a member who is in a voice channel, and the bot. */
  #know(guildId: string, member: KnownMember): void {
    const entry = this.#entry(guildId)
    const { userId } = member
    if (userId === this.#client.user?.id) entry.me = member
    const place = entry.present.get(userId)
    if (place) entry.present.set(userId, { ...place, member })
  }

  /** From the form of Discord's API. */
  #memberOf(
    guildId: string,
    { user, nick, roles, avatar, communication_disabled_until: until }: MemberFields,
  ): KnownMember {
    const { id, bot = false, username, global_name: displayName, discriminator } = user
    const { cdn } = this.#client.rest
    const size = { extension: 'png', size: 128 } as const
    const picture = avatar
      ? cdn.guildMemberAvatar(guildId, id, avatar, size)
      : user.avatar
        ? cdn.avatar(id, user.avatar, size)
        : cdn.defaultAvatar(
            discriminator === '0' ? calculateUserDefaultAvatarIndex(id) : Number(discriminator) % 5,
          )
    return {
      ...{ userId: id, bot, picture },
      name: nick ?? displayName ?? username,
      nickname: nick ?? undefined,
      roleIds: [...roles, guildId],
      timedOutUntil: until ? Date.parse(until) : undefined,
    }
  }
}

/** discord.js: "overriding the cache used in" these "will break functionality". */
const NEEDED = [GuildManager, ChannelManager, GuildChannelManager, RoleManager, PermissionOverwriteManager]

function isLimited(cache: unknown): boolean {
  return cache instanceof LimitedCollection && cache.maxSize !== Number.POSITIVE_INFINITY
}

/** Fields of a member that several gateway messages have. */
type MemberFields = Pick<
  APIGuildMember,
  'user' | 'nick' | 'roles' | 'avatar' | 'communication_disabled_until'
>

function presentOf(
  { user_id: userId, mute, deaf, suppress }: Omit<GatewayVoiceState, 'guild_id'>,
  channelId: string,
  member: KnownMember | undefined,
): Present {
  return { userId, channelId, muted: mute, deafened: deaf, suppressed: suppress, member }
}

function knownMember(member: GuildMember): KnownMember {
  return {
    userId: member.id,
    bot: member.user.bot,
    name: member.displayName,
    nickname: member.nickname ?? undefined,
    roleIds: [...member.roles.cache.keys()],
    picture: member.displayAvatarURL({ extension: 'png', size: 128 }),
    timedOutUntil: member.communicationDisabledUntilTimestamp ?? undefined,
  }
}

/** Discord, "Permissions": those of the roles in the guild. */
function basePermissions(guild: Guild, { userId, roleIds }: KnownMember): bigint {
  if (guild.ownerId === userId) return PermissionsBitField.All
  const bits = roleIds.reduce((all, id) => all | (guild.roles.cache.get(id)?.permissions.bitfield ?? 0n), 0n)
  return bits & PermissionFlagsBits.Administrator ? PermissionsBitField.All : bits
}

/** Discord, "Permission Overwrites": everyone, then all roles together, then the member. */
function permissionsOf(
  { guild, permissionOverwrites }: NonThreadGuildBasedChannel,
  member: KnownMember,
): bigint {
  const base = basePermissions(guild, member)
  if (base === PermissionsBitField.All) return base
  const { cache } = permissionOverwrites
  const roles = member.roleIds.filter(id => id !== guild.id)
  return [[guild.id], roles, [member.userId]].reduce((bits, ids) => {
    const overwrites = ids.flatMap(id => cache.get(id) ?? [])
    const deny = overwrites.reduce((all, each) => all | each.deny.bitfield, 0n)
    const allow = overwrites.reduce((all, each) => all | each.allow.bitfield, 0n)
    return (bits & ~deny) | allow
  }, base)
}
