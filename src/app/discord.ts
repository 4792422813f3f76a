import type { Preferences, RunningChannels } from '../bridges/discord/channel-interpreter.ts'
import { DiscordPreferences } from '../bridges/discord/discord-preferences.ts'
import type { DiscordBridgeOptions } from '../bridges/discord/options.ts'
import { DiscordChannels, type DiscordChannelsSettings } from '../bridges/discord/running-channels.ts'
import type { Clock } from '../common/clock.ts'
import type { LanguageId } from '../common/language.ts'
import type { Log } from '../common/log.ts'
import type { WallClock } from '../common/wall-clock.ts'
import { languageOffer } from './language-offer.ts'

/** Settings of the Discord bridge; without a token, it is off. */
export interface DiscordSettings {
  readonly token?: string | undefined
  /** Restricts the bot to these guilds; empty: every guild that invited it. */
  readonly guilds?: readonly string[] | undefined
  /** Voice channels whose permissions `doctor` checks. */
  readonly channels?: readonly string[] | undefined
  /** Default language of people who have not chosen one. Default: the guild’s language. */
  readonly language?: LanguageId | undefined
  /** Empty: the languages that the people in the channel need. */
  readonly output?: readonly LanguageId[] | undefined
  readonly captions?:
    | { readonly style?: 'embed' | 'plain' | 'off' | undefined; readonly thread?: boolean | undefined }
    | undefined
  readonly leaveEmptyAfterSeconds?: number | undefined
  /** Silence appended to each turn (ms). */
  readonly turnSilenceMs?: number | undefined
  readonly maxChannels?: number | undefined
  readonly codeMinutes?: number | undefined
  readonly indicator?: boolean | undefined
  /** Roles whose members may start phone calls. */
  readonly dialRoles?: readonly string[] | undefined
  /** Storage of user preferences; absent: they end with the process. */
  readonly preferences?: { readonly file: string; readonly key?: string | undefined } | undefined
  /** Storage of the channels being interpreted, for the next process; absent or 0 minutes: off. */
  readonly resume?: DiscordChannelsSettings | undefined
  readonly dave?: boolean | undefined
  readonly apiUrl?: string | undefined
}

/** Dependencies that the app provides. */
export interface DiscordTerms
  extends Pick<
    DiscordBridgeOptions,
    'relay' | 'admission' | 'announcer' | 'dialler' | 'roomCodes' | 'guesses' | 'clock' | 'wallClock' | 'log'
  > {
  /** Current address and key of the service. */
  readonly service: { readonly url: () => string; readonly apiKey: string }
  readonly preferences?: Preferences | undefined
  readonly running?: RunningChannels | undefined
  /** Phone numbers that ask for room codes. */
  readonly phoneNumbers: readonly string[]
}

/** Opens the file of user preferences. Throws `BridgeError` `CONFIG` if it cannot be used. */
export function openPreferences(
  settings: DiscordSettings | undefined,
  parts: { readonly clock: Clock; readonly log: Log },
): DiscordPreferences | undefined {
  const { token, preferences } = settings ?? {}
  return token !== undefined && preferences ? new DiscordPreferences(preferences, parts) : undefined
}

/** Opens the file of the channels being interpreted. */
export function openChannels(
  settings: DiscordSettings | undefined,
  parts: { readonly wallClock: WallClock; readonly log: Log },
): DiscordChannels | undefined {
  const { token, resume } = settings ?? {}
  return token !== undefined && resume && resume.withinMinutes > 0
    ? new DiscordChannels(resume, parts)
    : undefined
}

/** Returns the bridge’s options for these settings, or undefined if there is no bot. */
export function discordOptions(
  settings: DiscordSettings | undefined,
  { service, preferences, running, phoneNumbers, ...parts }: DiscordTerms,
): DiscordBridgeOptions | undefined {
  if (settings?.token === undefined) return undefined
  const { token, language, apiUrl, captions = {} } = settings
  const [first, second] = settings.output ?? []
  return {
    ...parts,
    token,
    languages: languageOffer(service),
    ...(preferences ? { preferences } : {}),
    ...(running ? { running } : {}),
    ...(apiUrl === undefined ? {} : { apiUrl }),
    commands: {
      guilds: settings.guilds ?? [],
      output: first === undefined ? 'auto' : second === undefined ? [first] : [first, second],
      captions: { style: captions.style ?? 'embed', thread: captions.thread ?? false },
      dialRoles: settings.dialRoles ?? [],
      phoneNumbers,
    },
    channels: {
      ...(language === undefined ? {} : { language }),
      ...given('turnSilenceMs', settings.turnSilenceMs),
      ...given('maxChannels', settings.maxChannels),
      ...given('codeMinutes', settings.codeMinutes),
      ...given('indicator', settings.indicator),
      ...given('dave', settings.dave),
      ...given('emptyAfterMs', settings.leaveEmptyAfterSeconds && settings.leaveEmptyAfterSeconds * 1_000),
    },
  }
}

function given<K extends string, V>(name: K, value: V | undefined): { readonly [key in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [key in K]: V })
}
