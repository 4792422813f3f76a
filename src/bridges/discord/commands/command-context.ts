import {
  type ButtonInteraction,
  ChannelType,
  type ChatInputCommandInteraction,
  type GuildBasedChannel,
  GuildFeature,
  MessageFlags,
  PermissionFlagsBits,
  type StringSelectMenuInteraction,
} from 'discord.js'
import type { Clock } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import type { Logger } from '../../../common/log.ts'
import { systemWallClock, type WallClock } from '../../../common/wall-clock.ts'
import type { CodeLimiter } from '../../../core/calls/code-attempts.ts'
import type { ReplyTexts } from '../../../messages/en/discord.ts'
import { escaped } from '../captions/caption-format.ts'
import type { NoticeTerms } from '../channel/notice-terms.ts'
import type { ChannelInterpreter, Interpreters, Preferences } from '../contract.ts'
import type { CommandSettings } from '../options.ts'
import type { VoiceRegister } from '../voice-register.ts'
import type { LanguageList } from './language-choices.ts'

const KINDS: Readonly<Partial<Record<ChannelType, Place['kind']>>> = {
  [ChannelType.GuildVoice]: 'voice',
  [ChannelType.GuildStageVoice]: 'stage',
  [ChannelType.GuildText]: 'text',
  [ChannelType.GuildAnnouncement]: 'text',
  [ChannelType.PublicThread]: 'thread',
  [ChannelType.PrivateThread]: 'thread',
  [ChannelType.AnnouncementThread]: 'thread',
}

/** Returns the user and place of an interaction in a guild. */
export function contextOf(
  interaction:
    | ChatInputCommandInteraction<'cached'>
    | ButtonInteraction<'cached'>
    | StringSelectMenuInteraction<'cached'>,
  register: VoiceRegister,
): CommandContext {
  const { guild, user, member, locale, channelId, memberPermissions, client } = interaction
  const me = register.me(guild.id)
  const voiceChannelId = register.of(guild.id, user.id)?.channelId
  const placeOf = (channel: GuildBasedChannel): Place => ({
    id: channel.id,
    kind: KINDS[channel.type] ?? 'other',
    granted: register.permissionsIn(channel) ?? 0n,
    askersOwn: channel.permissionsFor(member)?.bitfield ?? 0n,
    memberIds: register.in(guild.id, channel.id).map(({ userId }) => userId),
    userLimit: 'userLimit' in channel ? channel.userLimit : 0,
    afk: guild.afkChannelId === channel.id,
  })
  return {
    guildId: guild.id,
    // Only communities choose a language; all other guilds report English (Discord: Guild Object).
    guildLocale: guild.features.includes(GuildFeature.Community) ? guild.preferredLocale : locale,
    channelId,
    asker: {
      id: user.id,
      name: escaped(member.displayName),
      locale,
      permissions: memberPermissions.bitfield,
      roleIds: [...member.roles.cache.keys()],
      voiceChannelId,
    },
    botRole: escaped(guild.roles.botRoleFor(client.user)?.name ?? me?.name ?? client.user.displayName),
    botTimedOut: (me?.timedOutUntil ?? 0) > systemWallClock(),
    place(id) {
      const channel = guild.channels.cache.get(id)
      return channel && placeOf(channel)
    },
    nameOf(userId) {
      const known = guild.members.cache.get(userId) ?? client.users.cache.get(userId)
      const name = register.of(guild.id, userId)?.member?.name ?? known?.displayName
      // Discord resolves the mention, and alerts no one unless mentions are allowed.
      return name === undefined ? `<@${userId}>` : escaped(name)
    },
    async say(id, text) {
      const channel = guild.channels.cache.get(id)
      if (!channel?.isSendable()) throw new RangeError(`cannot write to channel ${id}`)
      const flags = MessageFlags.SuppressNotifications
      await channel.send({ content: text, allowedMentions: { parse: [] }, flags })
    },
  }
}

const { Administrator, Connect, ManageChannels, ManageGuild, MuteMembers, ViewChannel } = PermissionFlagsBits

/**
 * Returns the interpreter of the guild if the user may stop or change it: they started it, are in it, or manage channels.
 * Otherwise the reason why not.
 */
export function changeable(
  context: CommandContext,
  { interpreters, starters }: Pick<CommandServices, 'interpreters' | 'starters'>,
  words: ReplyTexts,
): ChannelInterpreter | string {
  const { asker, guildId } = context
  const running = interpreters.of(guildId)
  if (!running) return words.notRunning
  const { channelId } = running
  const isTheirs = starters.get(running) === asker.id || asker.voiceChannelId === channelId
  return isTheirs || managesChannels(context, channelId) ? running : words.notYours
}

/** Returns whether the user manages channels, in general or in that channel. */
export function managesChannels({ asker, place }: CommandContext, channelId: string): boolean {
  return has(asker.permissions | (place(channelId)?.askersOwn ?? 0n), ManageChannels)
}

/** Returns whether the user is in the voice channel, or may join it. */
export function mayReach({ asker, place }: CommandContext, channelId: string): boolean {
  const own = place(channelId)?.askersOwn ?? 0n
  const reach = ViewChannel | Connect
  return asker.voiceChannelId === channelId || (own & reach) === reach || (own & Administrator) !== 0n
}

/** Returns whether the user may decide for others. */
export function moderates({ permissions }: Asker): boolean {
  return has(permissions, MuteMembers) || has(permissions, ManageChannels)
}

/** Returns whether the user may start phone calls. */
export function mayDial({ permissions, roleIds }: Asker, { dialRoles }: CommandSettings): boolean {
  return has(permissions, ManageGuild) || roleIds.some(role => dialRoles.includes(role))
}

function has(granted: bigint, permission: bigint): boolean {
  return (granted & (permission | Administrator)) !== 0n
}

/** A channel of the guild, as far as interpreting needs it. */
export interface Place {
  readonly id: string
  readonly kind: 'voice' | 'stage' | 'text' | 'thread' | 'other'
  /** The bot's permissions in it (Discord's bits). */
  readonly granted: bigint
  /** The asking user's permissions in it. */
  readonly askersOwn: bigint
  /** Users in it; empty without voice. */
  readonly memberIds: readonly string[]
  /** 0: none. */
  readonly userLimit: number
  /** AFK channel of the guild. */
  readonly afk: boolean
}

/** The asking user. */
export interface Asker {
  readonly id: string
  /** Name in the guild, escaped. */
  readonly name: string
  /** Locale of the user's client. */
  readonly locale: string
  /** Permissions in the channel of the command (Discord's bits). */
  readonly permissions: bigint
  readonly roleIds: readonly string[]
  /** The voice channel that the user is in. */
  readonly voiceChannelId?: string
}

/** The place of a command, with the look-ups and messages available there. */
export interface CommandContext {
  readonly guildId: string
  /** Locale of messages to everyone in the guild. */
  readonly guildLocale: string
  /** The chat where the command was typed. */
  readonly channelId: string
  readonly asker: Asker
  /** The role that holds the bot's permissions, escaped. */
  readonly botRole: string
  /** A moderator timed out the bot. */
  readonly botTimedOut: boolean
  place(channelId: string): Place | undefined
  /** Name in the guild, escaped. */
  nameOf(userId: string): string
  /** Posts a message for everyone in that channel, without notifications. Rejects on failure. */
  say(channelId: string, text: string): Promise<void>
}

/** Limits guesses of room codes, by user. */
export type RoomCodeAttempts = Pick<CodeLimiter, 'begin'>

/** Creates a link for hearing a room in a browser, without being heard. May reject. */
export type ListenLinks = (room: string) => Promise<{ readonly url: string; readonly minutes: number }>

/** Formats of a transcript. */
export type ChannelTranscriptFormat = 'text' | 'srt' | 'vtt'

/** The conversation of a channel, as a file. */
export interface TranscriptDocument {
  readonly text: string
  /** Number of utterances in it. */
  readonly count: number
  /** The start is missing, because the document would be longer than allowed. */
  readonly shortened: boolean
}

export interface TranscriptQuery {
  readonly room: string
  /** Only speech from then on (clock ms). */
  readonly sinceMs: number
  /** The reader's language. */
  readonly language: LanguageId
  readonly format: ChannelTranscriptFormat
  /** Returns whether speech of the participant with this ID can be shown. */
  readonly includes: (participant: string) => boolean
  /** Maximum size (bytes of UTF-8). */
  readonly maxBytes: number
}

/** Returns the conversation of a room in one language. */
export type TranscriptSource = (query: TranscriptQuery) => TranscriptDocument

/** Services that commands work with. */
export interface CommandServices {
  readonly interpreters: Interpreters
  /** IDs of the guilds that the bot is in. */
  readonly guildIds: () => Iterable<string>
  readonly preferences: Preferences
  readonly languages: LanguageList
  /**
   * Locales of users' clients. Discord reports them only with commands, so they are kept, in memory only, as the best
   * guess of the user's language.
   */
  readonly locales: Map<string, string>
  readonly roomCodeLimiter: RoomCodeAttempts
  /** Absent: there are no links for listening. */
  readonly listenLinks?: ListenLinks | undefined
  readonly settings: CommandSettings
  /** Consent and storage, as stated in the notices of the channels. */
  readonly terms: NoticeTerms
  /** Absent: there are no transcripts. */
  readonly transcripts?: TranscriptSource | undefined
  /** The user who started each interpreter. */
  readonly starters: WeakMap<ChannelInterpreter, string>
  readonly clock: Clock
  readonly wallClock: WallClock
  readonly log: Logger
}
