import type { RoomHomes } from '../../core/calls/room-homes.ts'
import type { Fleet } from '../../core/model/fleet.ts'
import type { FleetCounters } from '../../fleet/counters.ts'
import { LEASE_MS } from '../../fleet/members.ts'
import { type Family, histogramFamily, labeled, single } from '../../web/metrics/metric-family.ts'

/** Bounds of the duration of a confirmation (s). */
const CONFIRMATION = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

export interface FleetSources {
  readonly fleet: Fleet & { readonly counters?: FleetCounters }
  readonly homes: RoomHomes
}

/** Metrics of a node of a fleet; without values for a standalone server. */
export function fleetFamilies({ fleet, homes }: FleetSources): Family[] {
  const { counters } = fleet
  const inFleet = <T>(read: (counters: FleetCounters) => T) => (counters ? read(counters) : undefined)
  const one = (name: string, help: string, read: (counters: FleetCounters) => number) =>
    single(name, help, () => inFleet(read))
  return [
    one('dragoman_fleet_up', '1 while the other nodes and the shared state can be reached.', () =>
      fleet.status === 'up' ? 1 : 0,
    ),
    one(
      'dragoman_fleet_away_total',
      'Times that the shared state could not be reached.',
      each => each.timesAway,
    ),
    labeled('dragoman_fleet_nodes', 'Nodes heard in the last minute, by state.', ['state'], () => {
      if (!counters) return []
      const { nodes } = fleet
      const lost = nodes.filter(({ silentMs }) => silentMs > LEASE_MS).length
      const draining = nodes.filter(each => each.draining && each.silentMs <= LEASE_MS).length
      return [
        [['up'], nodes.length - lost - draining],
        [['draining'], draining],
        [['silent'], lost],
      ]
    }),
    one(
      'dragoman_fleet_clock_skew_seconds',
      'Maximum difference between the wall clocks of this node and another one.',
      () => Math.max(0, ...fleet.nodes.map(({ skewMs }) => Math.abs(skewMs) / 1_000)),
    ),
    one('dragoman_fleet_homes', 'Rooms whose home is this node.', () => Array.from(homes.rooms).length),
    labeled(
      'dragoman_fleet_claims_total',
      'Claims of rooms, by result. Those taken over from another node are also counted as home.',
      ['result'],
      () =>
        counters
          ? [
              [['home'], counters.claims.home],
              [['elsewhere'], counters.claims.elsewhere],
              [['taken-over'], counters.claims.takenOver],
              [['away'], counters.claims.away],
            ]
          : [],
    ),
    labeled(
      'dragoman_fleet_confirmations_total',
      'Verifications that this node is still home to a room, by result.',
      ['result'],
      () =>
        counters
          ? [
              [['home'], counters.confirms],
              [['lost'], counters.refusedConfirms],
            ]
          : [],
    ),
    histogramFamily(
      'dragoman_fleet_confirmation_seconds',
      'Duration of these verifications.',
      CONFIRMATION,
      () => (counters ? [[{}, counters.confirmMs]] : []),
    ),
    one(
      'dragoman_fleet_rooms_lost_total',
      'Rooms that other nodes took over while they were here.',
      () => homes.lost,
    ),
    one(
      'dragoman_fleet_waits_total',
      'Participants who had to wait for the home of their room.',
      () => homes.waited,
    ),
    one(
      'dragoman_fleet_wait_failures_total',
      'Participants rejected because no home was found within 8 s.',
      () => homes.rejected,
    ),
    labeled(
      'dragoman_fleet_requests_total',
      'Requests to other nodes, by what was requested and the result.',
      ['request', 'result'],
      () =>
        Array.from(counters?.asks ?? []).flatMap(([what, results]) =>
          Object.entries(results).map(([result, count]) => [[what, result], count] as const),
        ),
    ),
    one(
      'dragoman_fleet_invalid_total',
      'Messages and stored entries of other nodes that were not understood, and were dropped.',
      each => each.invalid,
    ),
  ]
}
