import { type Client, type GuildMember, PermissionFlagsBits } from 'discord.js'
import type { Log } from '../../../core/log.ts'

/** What a listening bot's name begins with. */
const MARK = '🔴 '
/** Longest name in a guild (Discord: Modify Current Member). */
const LONGEST = 32

/** Shows in a guild that the bot listens, by its name there, where it may change it. */
export class Indicator {
  readonly #client: Client
  readonly #guildId: string
  readonly #log: Log
  /** The name it had; null: none of its own. */
  #before: string | null | undefined

  constructor(client: Client, guildId: string, log: Log) {
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

  /** Takes away the mark that a process left which died. Never rejects. */
  async clear(): Promise<void> {
    const me = this.#me
    if (me?.nickname?.startsWith(MARK) && this.#before === undefined) await this.#name(unmarked(me))
  }

  get #me() {
    const me = this.#client.guilds.cache.get(this.#guildId)?.members.me
    return me?.permissions.has(PermissionFlagsBits.ChangeNickname) ? me : undefined
  }

  async #name(name: string | null): Promise<void> {
    try {
      await this.#me?.setNickname(name)
    } catch (error) {
      this.#log.debug(
        { guildId: this.#guildId, error: String(error) },
        'the name in the guild did not change',
      )
    }
  }
}

/** The name of its own that the bot has without the mark, which a process that died may have left; null: none. */
function unmarked({ nickname, user }: GuildMember): string | null {
  const own = nickname?.startsWith(MARK) ? nickname.slice(MARK.length) : nickname
  return own === user.displayName ? null : (own ?? null)
}
