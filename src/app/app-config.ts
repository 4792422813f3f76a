import type { BrowserSettings } from '../bridges/browser/index.ts'
import type { TwilioLimits } from '../bridges/twilio/index.ts'
import type { AttendantSettings } from '../core/attendant-options.ts'
import type { relayOptions } from '../core/relay-options.ts'
import type { LimitSettings } from '../guard/limits.ts'
import type { LanguageDefaults, NumberSettings } from '../invitations.ts'
import type { RecordingSettings } from '../recording/recording-options.ts'
import type { ServiceConfig } from '../service/server/service-config.ts'
import type { SoundSettings } from '../sounds/sound-options.ts'
import type { TracingSettings } from '../tracing/tracing-settings.ts'
import type { ControlSettings } from '../web/control/control-settings.ts'
import type { DashboardSettings } from '../web/dashboard/dashboard-settings.ts'
import type { MetricsSettings } from '../web/metrics/metrics-settings.ts'
import type { TranscriptSettings } from '../web/transcript/transcript-settings.ts'
import type { WebhookInput } from '../web/webhooks-out/webhook-settings.ts'
import type { DiallingSettings } from './dialling.ts'
import type { DiscordSettings } from './discord.ts'
import type { DrainSettings } from './drain.ts'
import type { RememberedSettings } from './remembered-languages.ts'
import type { ServiceSettings } from './translators.ts'

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T

/** What the app is made of. `config.ts` fills it from file and environment; a program may write it by hand. */
export interface AppConfig {
  readonly host: string
  readonly port: number
  /** Where Twilio reaches this server; absent: this machine only. */
  readonly publicUrl?: string | undefined
  /** Proxies whose `X-Forwarded-For` is believed, as addresses, networks or names of some; default none. */
  readonly trustProxy?: readonly string[] | undefined
  /** How many may knock, how fast, and when nobody else is let in. */
  readonly limits?: DeepReadonly<Partial<LimitSettings>> | undefined
  /** What becomes of calls when the server is told to end. */
  readonly drain?: Readonly<Partial<DrainSettings>> | undefined
  readonly service: ServiceSettings
  readonly embedded?: DeepReadonly<ServiceConfig> | undefined
  readonly languages: LanguageDefaults
  readonly relay?: Parameters<typeof relayOptions>[0]
  readonly sounds?: SoundSettings | undefined
  /** What parties can do by keys, and what they are told. */
  readonly attendant?: AttendantSettings | undefined
  readonly recording?: RecordingSettings | undefined
  /** Who may use the control API; absent: nobody. */
  readonly control?: DeepReadonly<Partial<ControlSettings>> | undefined
  /** Where traces go; default: nowhere. */
  readonly tracing?: DeepReadonly<Partial<TracingSettings>> | undefined
  /** Who may read the metrics; default: programs on this machine, and who has a key of `control`. */
  readonly metrics?: Readonly<Partial<MetricsSettings>> | undefined
  readonly dashboard?: Readonly<Partial<DashboardSettings>> | undefined
  /** Who is told what happens. */
  readonly webhooks?: readonly WebhookInput[] | undefined
  /** What becomes of what was said; default: nothing is kept. */
  readonly transcripts?: Readonly<Partial<TranscriptSettings>> | undefined
  /** Of calls by whatever channel. */
  readonly calls?:
    | {
        /** Default: no limit. */
        readonly maxMinutes?: number | undefined
        readonly maxRooms?: number | undefined
        /** Codes that do not change, each with its room. */
        readonly roomCodes?: Readonly<Record<string, string>> | undefined
        /** Which language callers chose last; absent: that is not kept. */
        readonly remembered?: RememberedSettings | undefined
      }
    | undefined
  /** Voice channels of Discord; absent, or without a token: none. */
  readonly discord?: DiscordSettings | undefined
  /** The page to talk into. */
  readonly browser?: DeepReadonly<Partial<BrowserSettings>> | undefined
  readonly twilio: {
    readonly authTokens: readonly string[]
    readonly insecure?: boolean | undefined
    /** The auth token is our own, for this machine only. */
    readonly local?: boolean | undefined
    /** What a call may take. */
    readonly limits?: Partial<TwilioLimits> | undefined
    /** Absent: nobody is ever called. */
    readonly outbound?: DiallingSettings | undefined
    readonly numbers?: Readonly<Record<string, NumberSettings>> | undefined
    /** Where what calls have used today outlives the process; absent: nowhere. */
    readonly usageFile?: string | undefined
  }
}
