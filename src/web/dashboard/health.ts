import type { Relay } from '../../core/room/relay.ts'
import type { Door } from '../../net/door.ts'
import type { Overload } from '../../net/overload.ts'
import type { HealthFigures } from './protocol.ts'
import type { Pulse } from './pulse.ts'

/** Sources of the figures. The caller keeps ownership. */
export interface HealthParts {
  readonly relay: Pick<Relay, 'services' | 'metrics'>
  readonly overload: Pick<Overload, 'strain' | 'turnedAway' | 'memoryShare'>
  readonly door: Pick<Door, 'counters'>
  readonly drain: { readonly draining: boolean }
  /** The embedded service; undefined if there is none. */
  readonly embedded: () => { readonly running: boolean; readonly restarts: number } | undefined
  readonly pulse: Pulse
}

/** Returns the health of this process and its dependencies since the last call. */
export function healthOf({ relay, overload, door, drain, embedded, pulse }: HealthParts): HealthFigures {
  const { loopLagMs, cpuPercent, memoryBytes } = pulse.look()
  const { sessionsWaitingNow, sessionsElsewhereNow } = relay.metrics
  const { counters } = door
  const service = embedded()
  return {
    loopLagMs: tenths(loopLagMs),
    cpuPercent: tenths(cpuPercent),
    memoryMiB: Math.round(memoryBytes / 2 ** 20),
    memoryPercent: Math.round(overload.memoryShare * 100),
    services: relay.services,
    waiting: sessionsWaitingNow,
    elsewhere: sessionsElsewhereNow,
    strain: overload.strain ?? null,
    turnedAway: overload.turnedAway,
    draining: drain.draining,
    door: {
      connections: counters.connections,
      strangers: counters.strangers,
      refused:
        counters.refusedInAll +
        counters.refusedByAddress +
        counters.refusedByRate +
        counters.requestsRefusedByAddress +
        counters.requestsRefusedInAll,
      unreadable: counters.unreadable,
    },
    embedded: service ? { running: service.running, restarts: service.restarts } : null,
  }
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10
}
