import { NumberQuota } from '../bridges/phone/call-policy.ts'
import type { Clock } from '../common/clock.ts'
import type { Logger } from '../common/log.ts'
import { systemWallClock } from '../common/wall-clock.ts'
import type { OverloadCheck } from '../core/calls/dialer-policies.ts'
import type { Fleet } from '../core/model/fleet.ts'
import { Overload } from '../net/overload.ts'
import type { Calls } from './calls.ts'
import { numbersOf, type OpenCarrier, registeredBridges } from './carriers.ts'
import { Drain } from './drain.ts'
import { canTakeOver } from './fleet.ts'
import type { AppSettings } from './settings/app-settings.ts'
import type { Stores } from './stores.ts'

export interface GuardsOptions {
  readonly settings: AppSettings
  readonly fleet: Fleet
  readonly carriers: readonly OpenCarrier[]
  readonly calls: Pick<Calls, 'relay'>
  readonly stores: Pick<Stores, 'usage'>
  /** Share of its memory that this process uses; default: measured. */
  readonly memoryShare?: (() => number) | undefined
  readonly clock: Clock
  readonly log: Logger
}

/** The conditions under which the app accepts new calls. */
export interface Guards extends Disposable {
  readonly overload: Overload
  readonly drain: Drain
  /** Rejects every new call during overload and while draining. */
  readonly overloadCheck: OverloadCheck
  /** Limits the calls to each number. */
  readonly numberQuota: NumberQuota
}

/** Starts to measure the load. The caller disposes of the result. */
export function openGuards(options: GuardsOptions): Guards {
  const { settings, fleet, carriers, calls, stores, memoryShare, clock, log } = options
  const { relay } = calls
  const bridges = () => registeredBridges(carriers)
  using stack = new DisposableStack()
  const drain = stack.use(
    new Drain({
      settings: settings.drain,
      calls: () => bridges().reduce((sum, { expected }) => sum + expected, relay.rooms.size),
      clock,
      log,
    }),
  )
  const numberQuota = stack.use(
    new NumberQuota({
      numbers: numbersOf(settings),
      isInProgress: callId => bridges().some(bridge => bridge.isInProgress(callId)),
      language: settings.languages.hears,
      ledger: stores.usage,
      fleet,
      clock,
      wallClock: systemWallClock,
    }),
  )
  const overload = stack.use(new Overload({ ...settings.limits, memoryShare, clock, log }))
  overload.start()
  const owned = stack.move()
  return {
    overload,
    drain,
    numberQuota,
    // Other nodes take the calls of a node that is shutting down.
    overloadCheck: {
      rejection: () => (canTakeOver(fleet) ? undefined : drain.rejection()) ?? overload.rejection(),
    },
    [Symbol.dispose]: () => owned.dispose(),
  }
}
