import type { Json } from '../json.ts'

/** Languages of Discord's own clients (Discord: Locales). */
const LOCALES = [
  'id',
  'da',
  'de',
  'en-GB',
  'en-US',
  'es-ES',
  'es-419',
  'fr',
  'hr',
  'it',
  'lt',
  'hu',
  'nl',
  'no',
  'pl',
  'pt-BR',
  'ro',
  'fi',
  'sv-SE',
  'vi',
  'tr',
  'cs',
  'el',
  'bg',
  'ru',
  'uk',
  'hi',
  'th',
  'zh-CN',
  'ja',
  'zh-TW',
  'ko',
] as const

export type DiscordLocale = (typeof LOCALES)[number]

/** Returns `value`. Throws `RangeError` if Discord has no such locale. */
export function localeOf(value: string): DiscordLocale {
  const locale = LOCALES.find(each => each === value)
  if (locale) return locale
  throw new RangeError(`Discord has no locale ${value}; it has ${LOCALES.join(', ')}`)
}

/** An account, which can be in several guilds. */
export class User {
  readonly id: string
  /** Unique, lower case. */
  readonly username: string
  /** Shown where a guild has no nickname for them. */
  readonly globalName: string | null
  readonly bot: boolean
  /** Language of the user’s client. */
  locale: DiscordLocale

  constructor(options: {
    id: string
    username: string
    globalName: string | null
    bot: boolean
    locale: DiscordLocale
  }) {
    this.id = options.id
    this.username = options.username
    this.globalName = options.globalName
    this.bot = options.bot
    this.locale = options.locale
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
