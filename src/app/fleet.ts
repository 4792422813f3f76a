import type { FastifyInstance } from 'fastify'
import type { CarrierFleet } from '../bridges/telephony/fleet-calls.ts'
import type { Clock } from '../common/clock.ts'
import type { Logger } from '../common/log.ts'
import { RoomHomes } from '../core/calls/room-homes.ts'
import type { Fleet } from '../core/model/fleet.ts'
import type { Relay } from '../core/room/relay.ts'
import { type OpenCarrier, registeredBridges } from './carriers.ts'
import type { Drain } from './drain.ts'

/** Names of nodes; they are parts of addresses. */
const NODE_PATH = /^\/n\/[a-z0-9-]{1,32}(?=\/)/

/**
 * Removes the path of a node from the address of a request, so that `/n/a/twilio/resume` reaches the route
 * `/twilio/resume`. A proxy sends a path to its node, and to another one if that node has ended.
 */
export function withoutNodePath(url: string): string {
  return url.replace(NODE_PATH, '')
}

export interface HomesOptions {
  readonly fleet: Fleet
  readonly relay: Relay
  readonly server: FastifyInstance
  readonly carriers: readonly OpenCarrier[]
  readonly drain: Drain
  readonly clock: Clock
  readonly log: Logger
}

/** Starts to keep the rooms of this node. The caller disposes of the result. */
export function openHomes({ fleet, relay, server, carriers, drain, clock, log }: HomesOptions): RoomHomes {
  const homes = new RoomHomes({
    fleet,
    inUse: room =>
      relay.rooms.has(room) || registeredBridges(carriers, server).some(bridge => bridge.isExpectedIn(room)),
    draining: () => drain.draining,
    clock,
    log,
  })
  homes.start()
  return homes
}

/** Returns whether another node can take calls of this one. */
export function canTakeOver(fleet: Fleet): boolean {
  return fleet.status === 'up' && fleet.nodes.some(({ node, draining }) => node !== fleet.node && !draining)
}

/** Returns what the carriers need of the fleet; undefined for a server of its own. */
export function carrierFleet(
  fleet: Fleet,
  homes: RoomHomes,
  { publicUrl, nodeUrl }: { publicUrl: string | undefined; nodeUrl: string | undefined },
): CarrierFleet | undefined {
  if (fleet.status === 'alone') return undefined
  const { node, exchange } = fleet
  const template =
    nodeUrl ?? (publicUrl === undefined ? undefined : `${publicUrl.replace(/\/+$/, '')}/n/{node}`)
  return { homes, exchange, nodeUrl: template?.replaceAll('{node}', node) }
}
