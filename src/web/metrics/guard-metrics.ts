import type { DoorCounters } from '../../net/door-counters.ts'
import { type Family, type FieldTable, fieldFamilies, labelled } from './family.ts'

const DOOR: FieldTable<DoorCounters> = {
  connections: ['dragoman_door_connections', 'Open connections.'],
  strangers: ['dragoman_door_strangers', 'Open unauthenticated connections.'],
  guests: ['dragoman_door_guests', 'Open connections of clients authenticated by a link.'],
  displaced: [
    'dragoman_door_displaced_total',
    'Unauthenticated and link connections closed to make room for others.',
  ],
  refusedInAll: ['dragoman_door_connections_refused_in_all_total', 'Connections closed by the total limit.'],
  refusedByAddress: [
    'dragoman_door_connections_refused_by_address_total',
    'Connections closed by the limit per address.',
  ],
  refusedByRate: [
    'dragoman_door_connections_refused_by_rate_total',
    'Connections closed because their address exceeded its request rate.',
  ],
  requestsRefusedByAddress: [
    'dragoman_door_requests_refused_by_address_total',
    'Requests rejected with 429 by the rate limit per address.',
  ],
  requestsRefusedInAll: [
    'dragoman_door_requests_refused_in_all_total',
    'Requests rejected with 503 by the total rate limit.',
  ],
  unreadable: [
    'dragoman_door_unreadable_total',
    'Malformed requests, and requests whose headers or body did not arrive in time.',
  ],
}

/** Figures of `Overload`. */
export interface OverloadFigures {
  readonly closings: number
  readonly turnedAway: number
  readonly lateMs: number
  readonly memoryShare: number
  readonly strain: string | undefined
}

const OVERLOAD: FieldTable<OverloadFigures> = {
  closings: ['dragoman_overload_closings_total', 'Overload periods, during which new calls were rejected.'],
  turnedAway: ['dragoman_overload_turned_away_total', 'Calls and sessions rejected during overload.'],
  lateMs: ['dragoman_overload_late_seconds', 'Timer delay: the median of recent measurements.', 0.001],
  memoryShare: ['dragoman_overload_memory_ratio', 'Share of the available memory in use.'],
}

/** A server with a request guard: `bridge`, or `service` for the embedded one. */
export interface Guarded {
  readonly server: 'bridge' | 'service'
  readonly door: Readonly<DoorCounters>
  readonly overload: OverloadFigures
}

/** Metrics of rejected connections and requests, and of overload. */
export function guardFamilies(servers: () => readonly Guarded[]): Family[] {
  return [
    ...fieldFamilies<DoorCounters>(DOOR, ['server'], () =>
      servers().map(({ server, door }) => [[server], door] as const),
    ),
    ...fieldFamilies<OverloadFigures>(OVERLOAD, ['server'], () =>
      servers().map(({ server, overload }) => [[server], overload] as const),
    ),
    labelled(
      'dragoman_overload_strained',
      '1 while new calls are rejected because timers run late or memory is short.',
      ['server'],
      () =>
        servers().map(({ server, overload }) => [[server], overload.strain === undefined ? 0 : 1] as const),
    ),
  ]
}
