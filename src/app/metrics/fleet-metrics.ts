import type { Metric } from 'prom-client'
import type { RoomHomes } from '../../core/calls/room-homes.ts'
import type { Fleet } from '../../core/model/fleet.ts'
import type { FleetCounters } from '../../fleet/counters.ts'
import { LEASE_MS } from '../../fleet/members.ts'
import { labeled, single } from '../../web/metrics/metric.ts'

export interface FleetSources {
  readonly fleet: Fleet & { readonly counters?: FleetCounters }
  readonly homes: RoomHomes
}

/** Metrics of a node of a fleet; without values for a standalone server. */
export function fleetMetrics({ fleet, homes }: FleetSources): Metric[] {
  const { counters } = fleet
  const one = (name: string, help: string, read: () => number) =>
    single(name, help, () => (counters ? read() : undefined))
  return [
    one('dragoman_fleet_up', '1 while the other nodes and the shared state can be reached.', () =>
      fleet.status === 'up' ? 1 : 0,
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
    one(
      'dragoman_fleet_rooms_lost_total',
      'Rooms that other nodes took over while they were here.',
      () => homes.lost,
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
    single(
      'dragoman_fleet_invalid_total',
      'Messages and stored entries of other nodes that were not understood, and were dropped.',
      () => counters?.invalid,
    ),
  ]
}
