import type { BrowserBridgeOptions } from '../bridges/browser/index.ts'
import type { Preferences, RunningChannels } from '../bridges/discord/contract.ts'
import {
  CAPTION_DEFAULTS,
  type ChannelTranscripts,
  type DiscordBridgeOptions,
} from '../bridges/discord/options.ts'
import type { discordSettingsSchema } from '../bridges/discord/settings.ts'
import type { NumberSettings } from '../bridges/phone/number-settings.ts'
import type { Clock } from '../common/clock.ts'
import { withDefaults } from '../common/defaults.ts'
import type { Logger } from '../common/log.ts'
import type { SettingsInput } from '../common/setting-fields.ts'
import type { OverloadCheck } from '../core/calls/dialer-policies.ts'
import type { RoomCodeLimiter } from '../core/calls/room-code-limiter.ts'
import type { RoomCodes } from '../core/calls/room-codes.ts'
import type { RoomLinks } from '../core/calls/room-links.ts'
import type { RoomVisits } from '../core/calls/room-visits.ts'
import type { LanguageSettings } from '../core/calls/settings.ts'
import type { Admission } from '../core/model/invitation.ts'
import type { Relay } from '../core/room/relay.ts'
import { talkCatalog, usableLanguages, type VoiceOfferOptions, voiceCatalog } from './service.ts'

export interface BrowserOptions {
  readonly relay: Relay
  readonly admission: Admission
  readonly languages: LanguageSettings
  readonly publicUrl: string | undefined
  readonly numbers: Readonly<Record<string, NumberSettings>>
  readonly roomCodes: RoomCodes
  readonly roomCodeLimiter: RoomCodeLimiter
  /** A Discord bot also accepts room codes. */
  readonly discord: boolean
  readonly links: RoomLinks
  readonly visits: RoomVisits
  readonly listenLinks: RoomLinks
  readonly audienceAdmission: Admission
  readonly audienceLanguage: BrowserBridgeOptions['audienceLanguage'] & {}
  /** Undefined: this server works alone. */
  readonly homes: BrowserBridgeOptions['homes']
  readonly overloadCheck: OverloadCheck
  readonly captions: BrowserBridgeOptions['captions'] & {}
  readonly dashboard: string
  readonly words: () => string
  /** Current address and key of the service. */
  readonly service: { readonly url: () => string; readonly apiKey: string }
  readonly groupOf: (address: string) => string | undefined
  readonly clock: Clock
  readonly log: Logger
}

/** Returns the browser bridge’s options for these settings. */
export function browserOptions(
  settings: BrowserBridgeOptions['settings'],
  { numbers, overloadCheck, service, ...shared }: BrowserOptions,
): BrowserBridgeOptions {
  return {
    ...shared,
    path: '/',
    settings: settings ?? {},
    offer: talkCatalog(service),
    numbers: Object.keys(numbers).filter(number => numbers[number]?.roomCode),
    invite: guest => (overloadCheck.rejection() === undefined ? guest : { refused: 'busy' }),
  }
}

type DiscordInput = SettingsInput<typeof discordSettingsSchema>

/** Dependencies that the app provides. */
export interface DiscordOptions
  extends Pick<
    DiscordBridgeOptions,
    | 'relay'
    | 'admission'
    | 'announcer'
    | 'dialer'
    | 'roomCodes'
    | 'roomCodeLimiter'
    | 'listenLinks'
    | 'turn'
    | 'clock'
    | 'wallClock'
    | 'log'
  > {
  /** Current address and key of the service. */
  readonly service: VoiceOfferOptions
  /** Source of transcripts of rooms. */
  readonly transcripts: ChannelTranscripts['of']
  /** Recording of conversations, which notices mention. */
  readonly recording: NonNullable<DiscordBridgeOptions['recording']>
  /** Transcripts are stored after the room has closed. */
  readonly keepsLonger: boolean
  readonly preferences?: Preferences | undefined
  readonly running?: RunningChannels | undefined
  /** Phone numbers that ask for room codes. */
  readonly phoneNumbers: readonly string[]
}

/** Returns the bridge’s options for these settings, or undefined if there is no bot. */
export function discordOptions(
  settings: DiscordInput | undefined,
  { service, preferences, running, phoneNumbers, transcripts, keepsLonger, ...shared }: DiscordOptions,
): DiscordBridgeOptions | undefined {
  if (settings?.token === undefined) return undefined
  const { token, language, apiUrl, captions } = settings
  const [first, second] = settings.output ?? []
  return {
    ...shared,
    token,
    languages: usableLanguages(service),
    voices: voiceCatalog(service),
    transcripts:
      keepsLonger || settings.transcript
        ? { of: transcripts, keeps: keepsLonger ? 'longer' : 'until-end' }
        : undefined,
    autoJoin: settings.autoJoin ?? [],
    preferences,
    running,
    apiUrl,
    commands: {
      guilds: settings.guilds ?? [],
      output: first === undefined ? 'auto' : second === undefined ? [first] : [first, second],
      captions: withDefaults(CAPTION_DEFAULTS, captions),
      dialRoles: settings.dialRoles ?? [],
      phoneNumbers,
    },
    channels: {
      language,
      maxChannels: settings.maxChannels,
      voices: settings.voices,
      consent: settings.consent,
    },
  }
}
