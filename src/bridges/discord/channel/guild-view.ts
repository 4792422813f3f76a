import { ChannelType, type Client, type Guild, PermissionFlagsBits } from 'discord.js'
import type { LanguageId } from '../../../core/languages.ts'
import { escaped } from '../captions/escape.ts'
import type { ChannelEnd } from '../channel-interpreter.ts'
import { languageOfLocale } from '../words/locale.ts'
import { memberName } from './member.ts'

/** A person in a voice channel as Discord tells it. */
export interface SeenPerson {
  readonly userId: string
  readonly name: string
  /** False in the audience of a stage. */
  readonly speaks: boolean
}

/** How the bot is in its voice channel. */
export interface BotState {
  readonly muted: boolean
  readonly deafened: boolean
  /** In the audience of a stage. */
  readonly suppressed: boolean
}

/** One guild as discord.js knows it now; asks it for nobody but members it does not know. */
export class GuildView {
  readonly guildId: string
  readonly #client: Client
  readonly #asked = new Set<string>()
  /** Called when somebody became known who was not. */
  readonly #known: () => void

  constructor(client: Client, guildId: string, known: () => void = () => {}) {
    this.#client = client
    this.guildId = guildId
    this.#known = known
  }

  get #guild(): Guild | undefined {
    return this.#client.guilds.cache.get(this.guildId)
  }

  /** Everybody in the channel but bots. Of whom it is not known what they are, nothing is told until it is. */
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

  /** `end`, or why it looks like a kick: voice ends before word comes that the channel or guild is gone. */
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

  /** What the bot may do in the channel. Where that is not known yet, it may. */
  may(channelId: string, permission: keyof typeof PermissionFlagsBits): boolean {
    const me = this.#guild?.members.me
    const channel = this.#guild?.channels.cache.get(channelId)
    if (!me || !channel || channel.isThread()) return true
    return channel.permissionsFor(me).has(PermissionFlagsBits[permission])
  }

  /** As the guild shows the user, made harmless for a message. */
  nameOf(userId: string): string {
    const name = this.#guild?.members.cache.get(userId)?.displayName
    return escaped(memberName(name ?? this.#client.users.cache.get(userId)?.displayName ?? '?'))
  }

  /** What people of the guild speak, as its settings say. */
  get language(): LanguageId {
    return languageOfLocale(this.#guild?.preferredLocale ?? 'en-US')
  }

  /** Asks to be heard on a stage: at once where the bot moderates it, else of those who do. Never rejects. */
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
