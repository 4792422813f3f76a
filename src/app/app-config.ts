import type { BrowserSettings } from '../bridges/browser/index.ts'
import type { LanguageDefaults } from '../bridges/telephony/number-routing.ts'
import type { RememberedSettings } from '../bridges/telephony/remembered-languages.ts'
import type { DrainSettings } from '../config/schema.ts'
import type { AttendantSettings } from '../core/calls/settings.ts'
import type { relayOptions } from '../core/model/relay-settings.ts'
import type { RecordingSettings } from '../media/recording/settings.ts'
import type { SoundSettings } from '../media/sounds/settings.ts'
import type { LimitSettings } from '../net/settings.ts'
import type { ServiceConfig } from '../service/server/settings.ts'
import type { TracingSettings } from '../tracing/settings.ts'
import type { ControlSettings } from '../web/control/settings.ts'
import type { DashboardSettings } from '../web/dashboard/settings.ts'
import type { MetricsSettings } from '../web/metrics/settings.ts'
import type { TranscriptSettings } from '../web/transcripts/settings.ts'
import type { WebhookInput } from '../web/webhooks/settings.ts'
import type { DiscordSettings } from './bridges.ts'
import type { CarrierConfig } from './carriers.ts'
import type { ServiceSettings } from './service.ts'

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T

/**
 * Configuration of the app. `config.ts` fills it from the file and the environment; programs can also create it
 * directly.
 */
export interface AppConfig extends CarrierConfig {
  readonly host: string
  readonly port: number
  /** Public address for Twilio; absent: only this machine. */
  readonly publicUrl?: string | undefined
  /** Proxies trusted to set `X-Forwarded-For`, as addresses, networks or their names. Default: none. */
  readonly trustProxy?: readonly string[] | undefined
  /** Connection limits and overload thresholds. */
  readonly limits?: DeepReadonly<Partial<LimitSettings>> | undefined
  /** Handling of calls on shutdown. */
  readonly drain?: Readonly<Partial<DrainSettings>> | undefined
  readonly service: ServiceSettings
  readonly embedded?: DeepReadonly<ServiceConfig> | undefined
  readonly languages: LanguageDefaults
  readonly relay?: Parameters<typeof relayOptions>[0]
  readonly sounds?: SoundSettings | undefined
  /** Key commands of participants, and their notices. */
  readonly attendant?: AttendantSettings | undefined
  readonly recording?: RecordingSettings | undefined
  /** Keys and limits of the control API; absent: disabled. */
  readonly control?: DeepReadonly<Partial<ControlSettings>> | undefined
  /** Destination of traces; default: none. */
  readonly tracing?: DeepReadonly<Partial<TracingSettings>> | undefined
  /** Access to the metrics. Default: programs on this machine, and clients with a key of `control`. */
  readonly metrics?: Readonly<Partial<MetricsSettings>> | undefined
  readonly dashboard?: Readonly<Partial<DashboardSettings>> | undefined
  /** Receivers of events. */
  readonly webhooks?: readonly WebhookInput[] | undefined
  /** Storage of transcripts after a room closes. Default: not stored. */
  readonly transcripts?: Readonly<Partial<TranscriptSettings>> | undefined
  /** Settings of calls on any channel. */
  readonly calls?:
    | {
        /** Default: no limit. */
        readonly maxMinutes?: number | undefined
        readonly maxRooms?: number | undefined
        /** Permanent codes, each with its room. */
        readonly roomCodes?: Readonly<Record<string, string>> | undefined
        /** Storage of callers’ last language choice; absent: not stored. */
        readonly callerLanguages?: RememberedSettings | undefined
      }
    | undefined
  /** The Discord bot; absent, or without a token: none. */
  readonly discord?: DiscordSettings | undefined
  /** The talk page. */
  readonly browser?: DeepReadonly<Partial<BrowserSettings>> | undefined
}
