import {
  ChannelType,
  type Client,
  GatewayIntentBits,
  type Guild,
  PermissionFlagsBits,
  Routes,
} from 'discord.js'
import { BoundedMap } from '../../../common/bounded-map.ts'
import type { LanguageId } from '../../../common/language.ts'
import { isoTime, systemWallClock } from '../../../common/wall-clock.ts'
import { languageOfLocale } from '../../../messages/locale.ts'
import { escaped } from '../captions/caption-format.ts'
import type { ChannelEnd } from '../contract.ts'
import type { KnownMember, VoiceRegister } from '../voice-register.ts'

/** Maximum length of a name (characters). */
const LONGEST = 64

/** Returns `name` as a valid participant name. */
export function memberName(name: string): string {
  const clean = name.replace(/\p{Cc}+/gu, ' ').trim()
  let short = clean.slice(0, LONGEST)
  if (/[\uD800-\uDBFF]$/.test(short)) short = short.slice(0, -1)
  return short === '' ? '?' : short
}

/** A person in a voice channel, as Discord reports them. */
export interface SeenPerson {
  readonly userId: string
  readonly name: string
  /** False in the audience of a stage. */
  readonly speaks: boolean
  readonly roleIds: readonly string[]
}

/** The bot's state in its voice channel. */
export interface BotState {
  readonly muted: boolean
  readonly deafened: boolean
  /** In the audience of a stage. */
  readonly suppressed: boolean
}

/** Maximum number of people whose names and pictures are kept after they leave. */
const MOST_SEEN = 1_000

/** One guild, as the bot sees it. Requests only members that Discord did not report. */
export class GuildView {
  readonly guildId: string
  readonly #client: Client
  readonly #register: VoiceRegister
  readonly #requested = new Set<string>()
  /** Also after they left: captions of their last words follow. */
  readonly #seen = new BoundedMap<string, KnownMember>(MOST_SEEN)
  /** Called when a missing member was loaded. */
  readonly #loaded: () => void

  constructor(client: Client, register: VoiceRegister, guildId: string, loaded: () => void) {
    this.#client = client
    this.#register = register
    this.guildId = guildId
    this.#loaded = loaded
  }

  get #guild(): Guild | undefined {
    return this.#client.guilds.cache.get(this.guildId)
  }

  /** Everyone in the channel except bots. Members that are not loaded yet are omitted. */
  people(channelId: string): SeenPerson[] {
    const people: SeenPerson[] = []
    const stage = this.isStage(channelId)
    for (const { userId, suppressed, member } of this.#register.in(this.guildId, channelId)) {
      if (!member) void this.#request(userId)
      else if (!member.bot) {
        this.#seen.set(userId, member)
        people.push({
          userId,
          name: memberName(member.name),
          speaks: !(stage && suppressed),
          roleIds: member.roleIds,
        })
      }
    }
    return people
  }

  isStage(channelId: string): boolean {
    return this.#guild?.channels.cache.get(channelId)?.type === ChannelType.GuildStageVoice
  }

  has(channelId: string): boolean {
    return this.#guild?.channels.cache.has(channelId) ?? false
  }

  /**
   * Returns `end` with what the bot sees of it: an apparent kick was the deletion of the channel or guild if that is gone
   * (the voice connection ends before that event), and the connection of another part of the program has its channel.
   */
  endOf(end: ChannelEnd, channelId: string): ChannelEnd {
    if (end.kind === 'taken') return { ...end, channelId: this.#register.own(this.guildId)?.channelId }
    if (end.kind !== 'kicked') return end
    if (!this.#guild) return { kind: 'refused', code: 'guild-gone' }
    return this.has(channelId) ? end : { kind: 'refused', code: 'channel-gone' }
  }

  get bot(): BotState {
    const { muted, deafened, suppressed } = this.#register.own(this.guildId) ?? ABSENT
    return { muted, deafened, suppressed }
  }

  /** Returns whether the bot has `permission` in the channel; true while unknown. */
  may(channelId: string, permission: keyof typeof PermissionFlagsBits): boolean {
    const channel = this.#guild?.channels.cache.get(channelId)
    if (!channel || channel.isThread()) return true
    const granted = this.#register.permissionsIn(channel)
    return granted === undefined || (granted & PermissionFlagsBits[permission]) !== 0n
  }

  /** The user's name in the guild, escaped for a message; otherwise a mention, which Discord resolves. */
  nameOf(userId: string): string {
    const name =
      this.#member(userId)?.name ??
      this.#guild?.members.cache.get(userId)?.displayName ??
      this.#client.users.cache.get(userId)?.displayName
    return name === undefined ? `<@${userId}>` : escaped(memberName(name))
  }

  /** Address of the user's picture in the guild. */
  pictureOf(userId: string): string | undefined {
    return this.#member(userId)?.picture
  }

  /** Language from the guild's settings. */
  get language(): LanguageId {
    return languageOfLocale(this.#guild?.preferredLocale ?? 'en-US')
  }

  /**
   * Asks for permission to speak on a stage: granted immediately if the bot moderates it, otherwise requested from the
   * moderators. Never rejects.
   */
  async askToSpeak(channelId: string): Promise<'speaks' | 'requested' | 'cannot'> {
    const ask = (body: { suppress: boolean } | { request_to_speak_timestamp: string }) =>
      this.#client.rest.patch(Routes.guildVoiceState(this.guildId, '@me'), {
        body: { channel_id: channelId, ...body },
      })
    try {
      if (this.may(channelId, 'MuteMembers')) {
        await ask({ suppress: false })
        return 'speaks'
      }
      if (!this.may(channelId, 'RequestToSpeak')) return 'cannot'
      await ask({ request_to_speak_timestamp: isoTime(systemWallClock()) })
      return 'requested'
    } catch {
      return 'cannot'
    }
  }

  /**
   * Fetches the roles of a member again. Without the privileged intent `GuildMembers`, Discord reports a changed role only
   * with the next voice event or command of the member. Never rejects.
   */
  async reload(userId: string): Promise<void> {
    const guild = this.#guild
    if (!guild || this.#client.options.intents.has(GatewayIntentBits.GuildMembers)) return
    // If it fails, the member has left or Discord is unavailable: the next attempt follows soon.
    if (await this.#register.fetch(guild, userId)) this.#loaded()
  }

  #member(userId: string): KnownMember | undefined {
    return this.#register.of(this.guildId, userId)?.member ?? this.#seen.get(userId)
  }

  async #request(userId: string): Promise<void> {
    const guild = this.#guild
    if (!guild || this.#requested.has(userId)) return
    this.#requested.add(userId)
    if (await this.#register.fetch(guild, userId)) this.#loaded()
    this.#requested.delete(userId)
  }
}

const ABSENT: BotState = { muted: false, deafened: false, suppressed: false }
