import type { Preferences, RunningChannels } from '../bridges/discord/channel-interpreter.ts'
import type { DiscordBridgeOptions } from '../bridges/discord/options.ts'
import type { Clock } from '../core/clock.ts'
import type { LanguageId } from '../core/languages.ts'
import type { Log } from '../core/log.ts'
import type { WallClock } from '../core/wall-clock.ts'
import { DiscordChannels, type DiscordChannelsSettings } from './discord-channels.ts'
import { DiscordPreferences } from './discord-preferences.ts'
import { languageOffer } from './language-offer.ts'

/** The Discord bridge as it is configured; without a token there is none. */
export interface DiscordSettings {
  readonly token?: string | undefined
  /** Only in these; empty: in every guild that invited the bot. */
  readonly guilds?: readonly string[] | undefined
  /** Voice channels whose permissions `doctor` checks. */
  readonly channels?: readonly string[] | undefined
  /** What people speak of whom nothing is known; default: what the guild's settings say. */
  readonly language?: LanguageId | undefined
  /** None: what the people in the channel need. */
  readonly output?: readonly LanguageId[] | undefined
  readonly captions?:
    | { readonly style?: 'embed' | 'plain' | 'off' | undefined; readonly thread?: boolean | undefined }
    | undefined
  readonly leaveEmptyAfterSeconds?: number | undefined
  /** Silence that is made behind what somebody says (ms). */
  readonly turnSilenceMs?: number | undefined
  readonly maxChannels?: number | undefined
  readonly codeMinutes?: number | undefined
  readonly indicator?: boolean | undefined
  /** Members with one of these may have telephones called. */
  readonly dialRoles?: readonly string[] | undefined
  /** What users want remembered, and where; absent: nothing outlives the process. */
  readonly preferences?: { readonly file: string; readonly key?: string | undefined } | undefined
  /** Where the channels that are being interpreted are kept for the next process; absent or 0 minutes: nowhere. */
  readonly resume?: DiscordChannelsSettings | undefined
  readonly dave?: boolean | undefined
  readonly apiUrl?: string | undefined
}

/** What the app brings. */
export interface DiscordTerms
  extends Pick<
    DiscordBridgeOptions,
    'relay' | 'admission' | 'announcer' | 'dialler' | 'roomCodes' | 'guesses' | 'clock' | 'wallClock' | 'log'
  > {
  /** Where the service is just now, and its key. */
  readonly service: { readonly url: () => string; readonly apiKey: string }
  readonly preferences?: Preferences | undefined
  readonly running?: RunningChannels | undefined
  /** Telephone numbers that ask for room codes. */
  readonly phoneNumbers: readonly string[]
}

/** The file of what users want remembered. Throws `BridgeError` `CONFIG` when it cannot be used. */
export function openPreferences(
  settings: DiscordSettings | undefined,
  parts: { readonly clock: Clock; readonly log: Log },
): DiscordPreferences | undefined {
  const { token, preferences } = settings ?? {}
  return token !== undefined && preferences ? new DiscordPreferences(preferences, parts) : undefined
}

/** The file of the channels that are being interpreted. */
export function openChannels(
  settings: DiscordSettings | undefined,
  parts: { readonly wallClock: WallClock; readonly log: Log },
): DiscordChannels | undefined {
  const { token, resume } = settings ?? {}
  return token !== undefined && resume && resume.withinMinutes > 0
    ? new DiscordChannels(resume, parts)
    : undefined
}

/** The bridge's options for these settings; undefined: there is no bot. */
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
