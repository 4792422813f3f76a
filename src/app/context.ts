import type { NumberLimits } from '../bridges/telephony/call-policy.ts'
import type { Doorkeeper } from '../bridges/telephony/number-routing.ts'
import type { Clock } from '../common/clock.ts'
import type { Log } from '../common/log.ts'
import type { DrainSettings } from '../config/schema.ts'
import type { Doorman, RationedDialler } from '../core/calls/dialer-policies.ts'
import type { GuessLimit } from '../core/calls/room-code-limiter.ts'
import type { RoomCodes } from '../core/calls/room-codes.ts'
import type { Switchboard } from '../core/calls/switchboard.ts'
import type { Announcer } from '../core/model/announcer.ts'
import type { Dialler } from '../core/model/dialer.ts'
import type { Relay } from '../core/room/relay.ts'
import type { RecordingStats } from '../media/recording/disk-recorder.ts'
import type { Overload } from '../net/overload.ts'
import type { Door } from '../net/request-guard.ts'
import type { TraceCounters } from '../tracing/tracing.ts'
import type { OpenFloor } from '../web/control/open-context.ts'
import type { ControlSettings } from '../web/control/settings.ts'
import type { AppConfig } from './app-config.ts'
import type { openChannels, openDialler, openPreferences } from './bridges.ts'
import type { Drain } from './drain.ts'
import type { EmbeddedService } from './metrics/server-families.ts'

/** Dependencies of the app’s plugins. The caller keeps ownership. */
export interface PluginParts {
  readonly config: AppConfig
  readonly relay: Relay
  readonly announcer: Announcer
  readonly switchboard: Switchboard
  readonly dialler: Dialler | undefined
  readonly twilioDialler: ReturnType<typeof openDialler>
  /** Rate limit in front of the dialer; undefined if outbound calls are off. */
  readonly ration: RationedDialler | undefined
  readonly roomCodes: RoomCodes
  readonly preferences: ReturnType<typeof openPreferences>
  readonly discordChannels: ReturnType<typeof openChannels>
  readonly desk: Doorkeeper
  /** Guess limit of `desk`. */
  readonly guesses: GuessLimit
  readonly front: OpenFloor
  readonly control: ControlSettings
  readonly door: Door
  readonly overload: Overload
  readonly drain: Drain
  readonly drainSettings: DrainSettings
  readonly doorman: Doorman
  /** Undefined: tracing is off. */
  readonly traces: TraceCounters | undefined
  readonly recordings: RecordingStats
  readonly numberLimits: NumberLimits
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
  readonly log: Log
}
