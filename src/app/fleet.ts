import type { CarrierFleet } from '../bridges/phone/fleet-calls.ts'
import type { Clock } from '../common/clock.ts'
import { BridgeError } from '../common/errors.ts'
import type { Logger } from '../common/log.ts'
import { assertInstalled } from '../common/optional-package.ts'
import { version } from '../common/version.ts'
import type { KeptChanges } from '../core/calls/kept-changes.ts'
import { RoomHomes } from '../core/calls/room-homes.ts'
import type { Fleet } from '../core/model/fleet.ts'
import type { Invitation } from '../core/model/invitation.ts'
import type { Relay } from '../core/room/relay.ts'
import { LoneFleet } from '../fleet/lone-fleet.ts'
import { fleetSettingsSchema, natsFault, nodeNameOf } from '../fleet/settings.ts'
import { type OpenCarrier, registeredBridges } from './carriers.ts'
import type { Drain } from './drain.ts'
import type { AppConfig } from './settings/app-settings.ts'

export interface FleetOptions {
  /** The tables of a process that is alone. Default: in memory. */
  readonly tables?: Pick<Fleet, 'table' | 'digest'> | undefined
  readonly clock: Clock
  readonly log: Logger
}

/** Joins the configured fleet, or returns that of a single process. The caller disposes of the result. */
export async function openFleet(
  settings: AppConfig['fleet'],
  { tables, clock, log }: FleetOptions,
): Promise<Fleet> {
  const { nats, key, ...node } = fleetSettingsSchema.parse(settings ?? {})
  if (!nats) return new LoneFleet(tables)
  if (key === undefined) throw new BridgeError('CONFIG', 'fleet.key is required with fleet.nats')
  const fault = natsFault(nats)
  if (fault !== undefined) throw new BridgeError('CONFIG', `fleet.nats: ${fault}`)
  assertInstalled('fleet')
  // Loaded only when needed.
  const { NatsFleet } = await import('../fleet/nats/nats-fleet.ts')
  return NatsFleet.open({
    settings: nats,
    ...{ key, clock, log },
    node: nodeNameOf(node),
    version,
  })
}

export interface HomesOptions {
  readonly fleet: Fleet
  readonly relay: Relay
  readonly carriers: readonly OpenCarrier[]
  readonly drain: Drain
  readonly clock: Clock
  readonly log: Logger
}

/** Starts to keep the rooms of this node. The caller disposes of the result. */
export function openHomes({ fleet, relay, carriers, drain, clock, log }: HomesOptions): RoomHomes {
  const homes = new RoomHomes({
    fleet,
    inUse: room =>
      relay.rooms.has(room) || registeredBridges(carriers).some(bridge => bridge.isExpectedIn(room)),
    draining: () => drain.draining,
    clock,
    log,
  })
  homes.start()
  relay.observer.on('room', ({ room, state }) => {
    if (state !== 'closed') homes.adopt(room)
  })
  return homes
}

/** Returns whether another node can take calls of this one. */
export function canTakeOver(fleet: Fleet): boolean {
  return fleet.status === 'up' && fleet.nodes.some(({ node, draining }) => node !== fleet.node && !draining)
}

/** Returns what the carriers need of the fleet; undefined for a standalone server. */
export function carrierFleet(
  fleet: Fleet,
  homes: RoomHomes,
  publicUrl: string | undefined,
  changes: KeptChanges | undefined,
): CarrierFleet | undefined {
  if (fleet.status === 'alone') return undefined
  const { node, exchange } = fleet
  const nodeUrl = publicUrl === undefined ? undefined : `${publicUrl.replace(/\/+$/, '')}/n/${node}`
  const changed = changes && ((call: string, invitation: Invitation) => changes.applied(call, invitation))
  return { node, homes, exchange, nodeUrl, changed }
}
