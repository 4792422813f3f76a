import { type Client, type Guild, PermissionFlagsBits } from 'discord.js'
import type { Logger } from '../../../common/log.ts'
import type { KnownMember, VoiceRegister } from '../voice-register.ts'

/** Prefix of the bot's nickname while it listens. */
const MARK = '🔴 '
/** Maximum length of a nickname (Discord: Modify Current Member). */
const LONGEST = 32

export interface NicknameIndicatorOptions {
  readonly client: Client
  readonly register: VoiceRegister
  readonly log: Logger
}

/** Marks the bot's nickname in a guild while it listens, if the bot has the permission. */
export class NicknameIndicator {
  readonly #options: NicknameIndicatorOptions
  readonly #guildId: string
  /** The previous nickname; null: it had none. */
  #before: string | null | undefined

  /** Removes a mark that a crashed process left. Never rejects. */
  static async clear(options: NicknameIndicatorOptions, guildId: string): Promise<void> {
    const indicator = new NicknameIndicator(options, guildId)
    const me = indicator.#me
    if (me?.nickname?.startsWith(MARK)) await indicator.#name(indicator.#unmarked(me))
  }

  constructor(options: NicknameIndicatorOptions, guildId: string) {
    this.#options = options
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
    return this.#options.client.guilds.cache.get(this.#guildId)
  }

  get #userName(): string {
    return this.#options.client.user?.displayName ?? ''
  }

  /** The bot as a member, if it may change its nickname. */
  get #me(): KnownMember | undefined {
    const { register } = this.#options
    const granted = (this.#guild && register.permissions(this.#guild)) ?? 0n
    return granted & PermissionFlagsBits.ChangeNickname ? register.me(this.#guildId) : undefined
  }

  async #name(nick: string | null): Promise<void> {
    if (!this.#me) return
    try {
      await this.#guild?.members.editMe({ nick })
    } catch (error) {
      this.#options.log.debug({ guildId: this.#guildId, error: String(error) }, 'nickname not changed')
    }
  }

  /** Returns the bot's nickname without the mark of a crashed process, or null if it has none. */
  #unmarked({ nickname }: KnownMember): string | null {
    const own = nickname?.startsWith(MARK) ? nickname.slice(MARK.length) : nickname
    return own === this.#userName ? null : (own ?? null)
  }
}
