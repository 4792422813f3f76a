import type { Clock } from '../common/clock.ts'
import type { Logger } from '../common/log.ts'
import { neverBack, systemWallClock } from '../common/wall-clock.ts'
import { CarrierSelection, ObservedDialer } from '../core/calls/dialer-policies.ts'
import { KeptChanges } from '../core/calls/kept-changes.ts'
import { RoomCodeLimiter } from '../core/calls/room-code-limiter.ts'
import { RoomCodes } from '../core/calls/room-codes.ts'
import { SpokenNotices } from '../core/calls/spoken-notices.ts'
import { TwoPartyCalls } from '../core/calls/two-party-calls.ts'
import type { Announcer } from '../core/model/announcer.ts'
import type { Dialer } from '../core/model/dialer.ts'
import type { Fleet } from '../core/model/fleet.ts'
import { relayOptions } from '../core/model/relay-settings.ts'
import { Relay } from '../core/room/relay.ts'
import type { Translator } from '../core/translation/translator.ts'
import { DiskRecorder } from '../recording/disk-recorder.ts'
import type { OpenCarrier } from './carriers.ts'
import type { AppSettings } from './settings/app-settings.ts'

export interface CallsOptions {
  readonly settings: AppSettings
  readonly fleet: Fleet
  readonly carriers: readonly OpenCarrier[]
  /** In order of preference; the relay closes them. */
  readonly translators: { readonly translator: Translator; readonly fallbacks?: readonly Translator[] }
  /** The caller keeps ownership. */
  readonly announcer: Announcer
  readonly clock: Clock
  readonly log: Logger
}

/** The relay, and what serves its calls on every channel. */
export interface Calls extends AsyncDisposable {
  readonly relay: Relay
  readonly announcer: Announcer
  readonly twoPartyCalls: TwoPartyCalls
  /** Places calls and reports their outcomes; undefined if outbound calls are disabled. */
  readonly dialer: Dialer | undefined
  /** Selects the carrier of each call, with its rate limits. */
  readonly carrierSelection: CarrierSelection
  readonly roomCodes: RoomCodes
  /** Limits wrong room codes on the phone and in Discord. */
  readonly roomCodeLimiter: RoomCodeLimiter
  /** Limits wrong room codes from browsers, so that those do not lock out phone callers. */
  readonly addressCodeLimiter: RoomCodeLimiter
  readonly recorder: DiskRecorder
  /** Changes by participants, for other nodes; undefined: this process is alone. */
  readonly changes: KeptChanges | undefined
}

/** Opens the relay with its services. The caller disposes of the result, which ends all calls and their recordings. */
export async function openCalls(options: CallsOptions): Promise<Calls> {
  const { settings, fleet, carriers, translators, announcer, clock, log } = options
  const { maxMinutes, roomCodes: fixed } = settings.calls
  const language = settings.languages.hears
  await using stack = new AsyncDisposableStack()
  const relay = stack.use(new Relay({ ...translators, options: relayOptions(settings.relay), clock, log }))
  const carrierSelection = new CarrierSelection({
    carriers,
    channelsOf: room =>
      Array.from(relay.rooms.get(room)?.participants.values() ?? [], ({ leg }) => leg?.channel ?? ''),
  })
  const dialer = carrierSelection.available ? new ObservedDialer(carrierSelection, relay.observer) : undefined
  const shared = { relay, announcer, clock, log, language, maxMinutes }
  const twoPartyCalls = new TwoPartyCalls({ ...shared, dialer })
  const roomCodes = new RoomCodes(clock, {
    fixed,
    state: { fleet, wall: neverBack(systemWallClock, clock) },
  })
  const roomCodeLimiter = stack.use(new RoomCodeLimiter('caller', clock, log, fleet))
  const addressCodeLimiter = stack.use(new RoomCodeLimiter('address', clock, log, fleet))
  const recorder = stack.use(
    DiskRecorder.open({ ...shared, settings: settings.recording, wallClock: systemWallClock }),
  )
  const spokenNotices = stack.use(new SpokenNotices({ ...shared, recorder, settings: settings.keypad }))
  spokenNotices.start()
  const changes = fleet.status === 'alone' ? undefined : stack.use(new KeptChanges({ fleet, relay, log }))
  changes?.start()
  // Before its observers, which see every participant leave.
  stack.defer(() => relay.close())
  await relay.ready()
  const owned = stack.move()
  return {
    relay,
    announcer,
    twoPartyCalls,
    dialer,
    carrierSelection,
    roomCodes,
    roomCodeLimiter,
    addressCodeLimiter,
    recorder,
    changes,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
