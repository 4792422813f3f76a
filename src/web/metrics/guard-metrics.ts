import type { DoorCounters } from '../../guard/door-counters.ts'
import { type Family, type FieldTable, fieldFamilies, labelled } from './family.ts'

const DOOR: FieldTable<DoorCounters> = {
  connections: ['dragoman_door_connections', 'Connections open now.'],
  strangers: ['dragoman_door_strangers', 'Connections of strangers, without a proof of who they are, now.'],
  guests: ['dragoman_door_guests', 'Connections of guests, who have a link, now.'],
  displaced: [
    'dragoman_door_displaced_total',
    'Connections of strangers and guests that were cut to make room for others.',
  ],
  refusedInAll: [
    'dragoman_door_connections_refused_in_all_total',
    'Connections cut since there were too many in all.',
  ],
  refusedByAddress: [
    'dragoman_door_connections_refused_by_address_total',
    'Connections cut since there were too many from their address.',
  ],
  refusedByRate: [
    'dragoman_door_connections_refused_by_rate_total',
    'Connections cut since their address asks too often.',
  ],
  requestsRefusedByAddress: [
    'dragoman_door_requests_refused_by_address_total',
    'Requests answered 429 by the rate of their address.',
  ],
  requestsRefusedInAll: [
    'dragoman_door_requests_refused_in_all_total',
    'Requests answered 503 by the rate of all.',
  ],
  unreadable: [
    'dragoman_door_unreadable_total',
    'Requests whose head or body did not come in time, or were none.',
  ],
}

/** What `Overload` shows. */
export interface OverloadFigures {
  readonly closings: number
  readonly turnedAway: number
  readonly lateMs: number
  readonly memoryShare: number
  readonly strain: string | undefined
}

const OVERLOAD: FieldTable<OverloadFigures> = {
  closings: [
    'dragoman_overload_closings_total',
    'Times that nobody new was let in since this program was overloaded.',
  ],
  turnedAway: ['dragoman_overload_turned_away_total', 'Calls and sessions turned away by that.'],
  lateMs: ['dragoman_overload_late_seconds', 'How late timers run: the middle of the last looks.', 0.001],
  memoryShare: ['dragoman_overload_memory_ratio', 'Share of the memory in use that this program may use.'],
}

/** A server with a door: `bridge`, or `service`, the embedded one. */
export interface Guarded {
  readonly server: 'bridge' | 'service'
  readonly door: Readonly<DoorCounters>
  readonly overload: OverloadFigures
}

/** Who is turned away at doors, and whether there is strength for more. */
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
      '1 while it is too late or short of memory, so that nobody new is let in.',
      ['server'],
      () =>
        servers().map(({ server, overload }) => [[server], overload.strain === undefined ? 0 : 1] as const),
    ),
  ]
}
