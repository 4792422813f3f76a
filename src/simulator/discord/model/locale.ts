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

export function isLocale(value: unknown): value is DiscordLocale {
  return LOCALES.some(locale => locale === value)
}

/** Returns `value`. Throws `RangeError` if Discord has no such locale. */
export function localeOf(value: string): DiscordLocale {
  if (isLocale(value)) return value
  throw new RangeError(`Discord has no locale ${value}; it has ${LOCALES.join(', ')}`)
}
