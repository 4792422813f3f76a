import type { Json } from '../json.ts'
import type { DiscordLocale } from './locale.ts'

/** An account, which can be in several guilds. */
export class User {
  readonly id: string
  /** Unique, lower case. */
  readonly username: string
  /** Shown where a guild has no nickname for them. */
  readonly globalName: string | null
  readonly bot: boolean
  /** Language of their own client. */
  locale: DiscordLocale

  constructor(terms: {
    id: string
    username: string
    globalName: string | null
    bot: boolean
    locale: DiscordLocale
  }) {
    this.id = terms.id
    this.username = terms.username
    this.globalName = terms.globalName
    this.bot = terms.bot
    this.locale = terms.locale
  }

  /** Discord: User Object. */
  get json(): Json {
    return {
      id: this.id,
      username: this.username,
      global_name: this.globalName,
      discriminator: '0',
      avatar: null,
      bot: this.bot,
      system: false,
      banner: null,
      accent_color: null,
      avatar_decoration_data: null,
      public_flags: 0,
    }
  }
}
