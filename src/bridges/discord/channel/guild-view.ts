import { ChannelType, type Client, GatewayIntentBits, type Guild, PermissionFlagsBits } from 'discord.js'
import type { LanguageId } from '../../../common/language.ts'
import { languageOfLocale } from '../../../messages/locale.ts'
import { escaped } from '../captions/caption-format.ts'
import type { ChannelEnd } from '../channel-interpreter.ts'
import type { Exclusion } from '../consent.ts'

/** Source of a member's language. */
export type LanguageFrom = 'asked' | 'remembered' | 'locale' | 'default'

/** A person in the voice channel. */
export interface ChannelMember {
  readonly userId: string
  /** Name in the guild: 1 to 64 characters, without control characters. */
  readonly name: string
  readonly language: LanguageId
  readonly languageFrom: LanguageFrom
  /** False: they are not listened to. */
  readonly consents: boolean
  /** Why not. */
  readonly excludedBy: Exclusion | undefined
  /** The notice was posted for them. Listening starts only then. */
  readonly informed: boolean
  /** False in the audience of a stage, where members are inaudible. */
  readonly speaks: boolean
  readonly roleIds: readonly string[]
}

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

/** One guild, from the cache of discord.js. Requests only members that are missing there. */
export class GuildView {
  readonly guildId: string
  readonly #client: Client
  readonly #asked = new Set<string>()
  /** Called when a missing member was loaded. */
  readonly #known: () => void

  constructor(client: Client, guildId: string, known: () => void = () => {}) {
    this.#client = client
    this.guildId = guildId
    this.#known = known
  }

  get #guild(): Guild | undefined {
    return this.#client.guilds.cache.get(this.guildId)
  }

  /** Everyone in the channel except bots. Members that are not loaded yet are omitted. */
  people(channelId: string): SeenPerson[] {
    const people: SeenPerson[] = []
    const stage = this.isStage(channelId)
    for (const state of this.#guild?.voiceStates.cache.values() ?? []) {
      if (state.channelId !== channelId || state.id === this.#client.user?.id) continue
      const { member } = state
      if (!member) this.#ask(state.id)
      else if (!member.user.bot)
        people.push({
          userId: state.id,
          name: memberName(member.displayName),
          speaks: !(stage && state.suppress),
          roleIds: [...member.roles.cache.keys()],
        })
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
   * Returns `end`, unless an apparent kick was the deletion of the channel or guild: the voice connection ends before
   * that event.
   */
  endOf(end: ChannelEnd, channelId: string): ChannelEnd {
    if (end.kind !== 'kicked') return end
    if (!this.#guild) return { kind: 'refused', code: 'guild-gone' }
    return this.has(channelId) ? end : { kind: 'refused', code: 'channel-gone' }
  }

  get bot(): BotState {
    const voice = this.#guild?.members.me?.voice
    return {
      muted: voice?.serverMute ?? false,
      deafened: voice?.serverDeaf ?? false,
      suppressed: voice?.suppress ?? false,
    }
  }

  /** Returns whether the bot has `permission` in the channel; true while unknown. */
  may(channelId: string, permission: keyof typeof PermissionFlagsBits): boolean {
    const me = this.#guild?.members.me
    const channel = this.#guild?.channels.cache.get(channelId)
    if (!me || !channel || channel.isThread()) return true
    return channel.permissionsFor(me).has(PermissionFlagsBits[permission])
  }

  /** The user's name in the guild, escaped for a message. */
  nameOf(userId: string): string {
    const name = this.#guild?.members.cache.get(userId)?.displayName
    return escaped(memberName(name ?? this.#client.users.cache.get(userId)?.displayName ?? '?'))
  }

  /** Address of the user's picture in the guild. */
  pictureOf(userId: string): string | undefined {
    const user = this.#guild?.members.cache.get(userId) ?? this.#client.users.cache.get(userId)
    return user?.displayAvatarURL({ extension: 'png', size: 128 })
  }

  /** Language from the guild's settings. */
  get language(): LanguageId {
    return languageOfLocale(this.#guild?.preferredLocale ?? 'en-US')
  }

  /**
   * Asks for permission to speak on a stage: granted immediately if the bot moderates it, otherwise requested from the
   * moderators. Never rejects.
   */
  async askToSpeak(channelId: string): Promise<'speaks' | 'asked' | 'cannot'> {
    const voice = this.#guild?.members.me?.voice
    try {
      if (this.may(channelId, 'MuteMembers')) {
        await voice?.setSuppressed(false)
        return 'speaks'
      }
      if (!this.may(channelId, 'RequestToSpeak')) return 'cannot'
      await voice?.setRequestToSpeak(true)
      return 'asked'
    } catch {
      return 'cannot'
    }
  }

  /**
   * Fetches the roles of a member again. Without the privileged intent `GuildMembers`, Discord reports a changed role only
   * with the next voice event or command of the member. Never rejects.
   */
  async reload(userId: string): Promise<void> {
    if (this.#client.options.intents.has(GatewayIntentBits.GuildMembers)) return
    try {
      await this.#guild?.members.fetch({ user: userId, force: true })
      this.#known()
    } catch {
      // The member has left, or Discord is unavailable: the next attempt follows soon.
    }
  }

  #ask(userId: string): void {
    if (this.#asked.has(userId)) return
    this.#asked.add(userId)
    const asked = this.#guild?.members.fetch(userId)
    asked?.then(
      () => this.#known(),
      () => this.#asked.delete(userId),
    )
  }
}
