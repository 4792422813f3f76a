import { type Guild, PermissionFlagsBits } from 'discord.js'
import type { KnownMember } from '../voice-register.ts'
import type { ChannelResources } from './channel-context.ts'

/** Prefix of the bot's nickname while it listens. */
const MARK = '🔴 '
/** Maximum length of a nickname (Discord: Modify Current Member). */
const LONGEST = 32

export type IndicatorResources = Pick<ChannelResources, 'client' | 'register' | 'log'>

/** Marks the bot's nickname in a guild while it listens, if the bot has the permission. */
export class NicknameIndicator {
  readonly #resources: IndicatorResources
  readonly #guildId: string
  /** The previous nickname; null: it had none. */
  #before: string | null | undefined

  /** Removes a mark that a crashed process left. Never rejects. */
  static async clear(resources: IndicatorResources, guildId: string): Promise<void> {
    const indicator = new NicknameIndicator(resources, guildId)
    const me = indicator.#me
    if (me?.nickname?.startsWith(MARK)) await indicator.#name(indicator.#unmarked(me))
  }

  constructor(resources: IndicatorResources, guildId: string) {
    this.#resources = resources
    this.#guildId = guildId
  }

  /** Never rejects. */
  async on(): Promise<void> {
    const me = this.#me
    if (!me || this.#before !== undefined) return
    const own = this.#unmarked(me)
    this.#before = own
    await this.#name(`${MARK}${own ?? this.#userName}`.slice(0, LONGEST))
  }

  /** Never rejects. Idempotent. */
  async off(): Promise<void> {
    const before = this.#before
    this.#before = undefined
    if (before !== undefined) await this.#name(before)
  }

  get #guild(): Guild | undefined {
    return this.#resources.client.guilds.cache.get(this.#guildId)
  }

  get #userName(): string {
    return this.#resources.client.user?.displayName ?? ''
  }

  /** The bot as a member, if it may change its nickname. */
  get #me(): KnownMember | undefined {
    const { register } = this.#resources
    const granted = (this.#guild && register.permissions(this.#guild)) ?? 0n
    return granted & PermissionFlagsBits.ChangeNickname ? register.me(this.#guildId) : undefined
  }

  async #name(nick: string | null): Promise<void> {
    if (!this.#me) return
    try {
      await this.#guild?.members.editMe({ nick })
    } catch (error) {
      this.#resources.log.debug({ guildId: this.#guildId, error: String(error) }, 'nickname not changed')
    }
  }

  /** Returns the bot's nickname without the mark of a crashed process, or null if it has none. */
  #unmarked({ nickname }: KnownMember): string | null {
    const own = nickname?.startsWith(MARK) ? nickname.slice(MARK.length) : nickname
    return own === this.#userName ? null : (own ?? null)
  }
}
