import { isoTime } from '../../../src/common/wall-clock.ts'
import type { Json } from '../json.ts'
import type { Channel } from './channel.ts'
import type { Guild } from './guild.ts'
import type { CommandValue } from './invocation.ts'
import type { Message } from './message.ts'
import type { Role } from './permissions.ts'
import { allows, type PermissionName, permissionsOf, type Standing } from './permissions.ts'
import type { Choice, Reply } from './reply.ts'
import type { DiscordLocale, User } from './user.ts'
import type { VoiceChannel, VoiceState } from './voice-channel.ts'
import type { SayOptions } from './voice-presence.ts'

/** Identity and permissions of a member. */
export interface MemberOptions {
  name: string
  /** In this guild. */
  nick?: string
  /** Language of the member’s client. Default: the guild's. */
  locale?: DiscordLocale
  /** Another application's bot. */
  bot?: boolean
  roles?: readonly Role[]
  /** The same person as in another guild; `name`, `locale` and `bot` are theirs. */
  user?: User
}

/** Channel of an interaction. Default: the voice channel they are in, otherwise the guild's first channel. */
export interface Where {
  in?: Channel
}

/** A member of a guild, with methods for everything that people do. */
export class Member {
  readonly guild: Guild
  readonly user: User
  nick: string | null
  readonly roles: Role[]
  readonly joinedAt: number
  /** Muted by the server, in any voice channel. */
  mute = false
  deaf = false

  constructor(guild: Guild, user: User, { nick, roles = [] }: Pick<MemberOptions, 'nick' | 'roles'>) {
    this.guild = guild
    this.user = user
    this.nick = nick ?? null
    this.roles = [...roles]
    this.joinedAt = guild.world.wallClock()
  }

  /** The user's. */
  get id(): string {
    return this.user.id
  }

  /** Name shown to others: nickname, otherwise display name, otherwise user name. */
  get displayName(): string {
    return this.nick ?? this.user.globalName ?? this.user.username
  }

  get voice(): VoiceState | undefined {
    return this.guild.voiceStates.get(this.id)
  }

  /** Enters a voice channel; settles when others can hear them. Throws if it is full or not permitted. */
  join(channel: VoiceChannel): Promise<void> {
    return this.guild.voice.join(this, channel)
  }

  /** Moves to another channel, or is moved there by a moderator. */
  moveTo(channel: VoiceChannel): Promise<void> {
    return this.guild.voice.join(this, channel)
  }

  /** Leaves the voice channel, or is disconnected by a moderator. No effect outside of a voice channel. */
  leave(): Promise<void> {
    return this.guild.voice.leave(this)
  }

  /** Speaks `pcm` (linear16, 16 kHz, mono) in real time, after earlier speech; settles when the last packet has been sent. */
  say(pcm: Int16Array, options: SayOptions = {}): Promise<void> {
    return this.guild.voice.say(this, pcm, options)
  }

  /** Changes voice settings, by a moderator or the person; omitted fields stay. */
  async setVoice(change: {
    mute?: boolean
    deaf?: boolean
    selfMute?: boolean
    selfDeaf?: boolean
    suppress?: boolean
  }): Promise<void> {
    this.guild.voice.change(this, change)
  }

  /** Sets or removes the nickname. */
  setNick(nick: string | null): void {
    this.guild.setNick(this, nick)
  }

  /** Posts in a chat. */
  write(channel: Channel, content: string): Message {
    return this.guild.world.chat.write(this, channel, content)
  }

  /**
   * Types `/interpret start`, written as `interpret start`, with the given options. Resolves to the answer: at once for
   * a plain reply, to the final one for a deferred reply. Rejects with `InteractionFailed`.
   */
  command(
    path: string,
    values: Readonly<Record<string, CommandValue>> = {},
    where: Where = {},
  ): Promise<Reply> {
    return this.guild.world.interactions.command(this, path, values, where.in)
  }

  /** Returns the choices offered for `typed` in the option `name`; `others` are options that are already filled in. */
  autocomplete(
    path: string,
    name: string,
    typed: string,
    others: Readonly<Record<string, CommandValue>> = {},
    where: Where = {},
  ): Promise<readonly Choice[]> {
    return this.guild.world.interactions.autocomplete(this, path, { name, typed, others }, where.in)
  }

  /** Presses a button, or chooses `values` in a menu. Resolves to the answer or the changed message. */
  press(message: Message, customId: string, values: readonly string[] = []): Promise<Reply> {
    return this.guild.world.interactions.press(this, message, customId, values)
  }

  /** Permissions in the guild as a whole. */
  get permissions(): bigint {
    return permissionsOf(this.standing)
  }

  can(name: PermissionName, channel?: Channel): boolean {
    return allows(channel ? channel.permissionsOf(this) : this.permissions, name)
  }

  get standing(): Standing {
    const { guild, roles } = this
    return {
      guildId: guild.id,
      memberId: this.id,
      owner: guild.owner === this,
      roles: new Map([guild.everyone, ...roles].map(({ id, permissions }) => [id, permissions])),
    }
  }

  /** Discord: Guild Member Object. */
  get json(): Json {
    return {
      user: this.user.json,
      nick: this.nick,
      avatar: null,
      banner: null,
      roles: this.roles.map(({ id }) => id),
      joined_at: isoTime(this.joinedAt),
      premium_since: null,
      deaf: this.deaf,
      mute: this.mute,
      flags: 0,
      pending: false,
      communication_disabled_until: null,
    }
  }
}
