import { type Client, type GuildMember, PermissionFlagsBits } from 'discord.js'
import type { Logger } from '../../../common/log.ts'

/** Prefix of the bot's nickname while it listens. */
const MARK = '🔴 '
/** Maximum length of a nickname (Discord: Modify Current Member). */
const LONGEST = 32

/** Marks the bot's nickname in a guild while it listens, if the bot has the permission. */
export class NicknameIndicator {
  readonly #client: Client
  readonly #guildId: string
  readonly #log: Logger
  /** The previous nickname; null: it had none. */
  #before: string | null | undefined

  /** Removes a mark that a crashed process left. Never rejects. */
  static async clear(client: Client, guildId: string, log: Logger): Promise<void> {
    const indicator = new NicknameIndicator(client, guildId, log)
    const me = indicator.#me
    if (me?.nickname?.startsWith(MARK)) await indicator.#name(unmarked(me))
  }

  constructor(client: Client, guildId: string, log: Logger) {
    this.#client = client
    this.#guildId = guildId
    this.#log = log
  }

  /** Never rejects. */
  async on(): Promise<void> {
    const me = this.#me
    if (!me || this.#before !== undefined) return
    const own = unmarked(me)
    this.#before = own
    await this.#name(`${MARK}${own ?? me.user.displayName}`.slice(0, LONGEST))
  }

  /** Never rejects. Idempotent. */
  async off(): Promise<void> {
    const before = this.#before
    this.#before = undefined
    if (before !== undefined) await this.#name(before)
  }

  get #me() {
    const me = this.#client.guilds.cache.get(this.#guildId)?.members.me
    return me?.permissions.has(PermissionFlagsBits.ChangeNickname) ? me : undefined
  }

  async #name(name: string | null): Promise<void> {
    try {
      await this.#me?.setNickname(name)
    } catch (error) {
      this.#log.debug({ guildId: this.#guildId, error: String(error) }, 'nickname not changed')
    }
  }
}

/** Returns the bot's nickname without the mark of a crashed process, or null if it has none. */
function unmarked({ nickname, user }: GuildMember): string | null {
  const own = nickname?.startsWith(MARK) ? nickname.slice(MARK.length) : nickname
  return own === user.displayName ? null : (own ?? null)
}
