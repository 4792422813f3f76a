import type { NumberQuota } from '../bridges/telephony/call-policy.ts'
import type { NumberRouterOptions } from '../bridges/telephony/number-routing.ts'
import type { Clock } from '../common/clock.ts'
import type { Logger } from '../common/log.ts'
import type { AdmissionControl, RateLimitedDialer } from '../core/calls/dialer-policies.ts'
import type { RoomCodeLimiter } from '../core/calls/room-code-limiter.ts'
import type { RoomCodes } from '../core/calls/room-codes.ts'
import type { DrainSettings } from '../core/calls/settings.ts'
import type { Switchboard } from '../core/calls/switchboard.ts'
import type { Announcer } from '../core/model/announcer.ts'
import type { Dialer } from '../core/model/dialer.ts'
import type { Relay } from '../core/room/relay.ts'
import type { RecordingStats } from '../media/recording/disk-recorder.ts'
import type { Overload } from '../net/overload.ts'
import type { RequestGuard } from '../net/request-guard.ts'
import type { TraceCounters } from '../tracing/counters.ts'
import type { OpenFloor } from '../web/control/open-context.ts'
import type { ControlSettings } from '../web/control/settings.ts'
import type { AppConfig } from './app-config.ts'
import type { openChannels, openPreferences } from './bridges.ts'
import type { OpenCarrier } from './carriers.ts'
import type { Drain } from './drain.ts'
import type { EmbeddedService } from './metrics/server-families.ts'

/** Dependencies of the app’s plugins. The caller keeps ownership. */
export interface PluginOptions {
  readonly config: AppConfig
  readonly relay: Relay
  readonly announcer: Announcer
  readonly switchboard: Switchboard
  readonly dialer: Dialer | undefined
  readonly carriers: readonly OpenCarrier[]
  /** Rate limit in front of the dialer; undefined if outbound calls are off. */
  readonly dialRateLimit: RateLimitedDialer | undefined
  readonly roomCodes: RoomCodes
  readonly preferences: ReturnType<typeof openPreferences>
  readonly discordChannels: ReturnType<typeof openChannels>
  readonly desk: NumberRouterOptions
  /** Guess limit of `desk`. */
  readonly guesses: RoomCodeLimiter
  readonly front: OpenFloor
  readonly control: ControlSettings
  readonly requestGuard: RequestGuard
  readonly overload: Overload
  readonly drain: Drain
  readonly drainSettings: DrainSettings
  readonly admissionControl: AdmissionControl
  /** Undefined: tracing is off. */
  readonly traces: TraceCounters | undefined
  readonly recordings: RecordingStats
  readonly numberLimits: NumberQuota
  /**
   * Current address and key of the translation service; `running` is false while the embedded service is unavailable.
   */
  readonly service: {
    readonly url: () => string
    readonly apiKey: string
    readonly running: () => boolean
    readonly embedded: () => EmbeddedService | undefined
  }
  readonly clock: Clock
  readonly log: Logger
}
