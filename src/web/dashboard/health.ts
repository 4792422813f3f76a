import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Relay } from '../../core/room/relay.ts'
import type { Room } from '../../core/room/room.ts'
import type { Overload } from '../../net/overload.ts'
import type { RequestGuard } from '../../net/request-guard.ts'
import type { HealthFigures } from './protocol.ts'

/** Sources of the figures. The caller keeps ownership. */
export interface HealthOptions {
  readonly relay: Pick<Relay, 'services' | 'metrics' | 'rooms'>
  /** Returns the name that people know a participant by. */
  readonly nameOf: (id: string) => string
  readonly overload: Pick<Overload, 'reason' | 'rejected' | 'memoryShare'>
  readonly requestGuard: Pick<RequestGuard, 'counters'>
  readonly drain: { readonly draining: boolean }
  /** The embedded service; undefined if absent. */
  readonly embedded: () =>
    | {
        readonly running: boolean
        readonly restarts: number
        /** Its engines that serve instead of preferred ones. */
        readonly figures?:
          | { readonly standIns: readonly { readonly engine: string; readonly instead: string }[] }
          | undefined
      }
    | undefined
  readonly pulse: ProcessStats
}

/** Returns the health of this process and its dependencies since the last call. */
export function healthOf({
  relay,
  nameOf,
  overload,
  requestGuard,
  drain,
  embedded,
  pulse,
}: HealthOptions): HealthFigures {
  const { loopLagMs, cpuPercent, memoryBytes } = pulse.look()
  const { sessionsWaitingNow, sessionsOnFallbackNow } = relay.metrics
  const { counters } = requestGuard
  const service = embedded()
  return {
    loopLagMs: tenths(loopLagMs),
    cpuPercent: tenths(cpuPercent),
    memoryMiB: Math.round(memoryBytes / 2 ** 20),
    memoryPercent: Math.round(overload.memoryShare * 100),
    services: relay.services,
    listeners: listenersOf(relay.rooms.values(), nameOf),
    waiting: sessionsWaitingNow,
    onFallback: sessionsOnFallbackNow,
    overloadReason: overload.reason ?? null,
    rejected: overload.rejected,
    draining: drain.draining,
    requestGuard: {
      connections: counters.connections,
      unauthenticated: counters.unauthenticated,
      rejected:
        counters.rejectedInTotal + counters.requestsRejectedByAddress + counters.requestsRejectedInTotal,
      malformed: counters.malformed,
    },
    embedded: service
      ? {
          running: service.running,
          restarts: service.restarts,
          standIns: (service.figures?.standIns ?? []).map(
            ({ engine, instead }) => `${instead} instead of ${engine}`,
          ),
        }
      : null,
  }
}

/** Maximum number of names. */
const MOST_NAMES = 3

function listenersOf(rooms: Iterable<Room>, nameOf: (id: string) => string): HealthFigures['listeners'] {
  const needing = new Set<string>()
  const lacking = new Set<string>()
  const speakers = new Set<string>()
  for (const room of rooms)
    for (const { speaker, listener, to, gets } of room.receptions) {
      if (to !== undefined) needing.add(listener)
      if (gets !== 'unavailable') continue
      lacking.add(listener)
      speakers.add(speaker)
    }
  const names = [...speakers].slice(0, MOST_NAMES).map(nameOf)
  const more = speakers.size - names.length
  return {
    needing: needing.size,
    lacking: lacking.size,
    speakers: more === 0 ? names : [...names, `${more} more`],
  }
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10
}

/** Resource usage and delay of this process between two readings. */
export interface ProcessStats {
  start(): void
  stop(): void
  /** Since the last reading: longest event loop delay (ms), CPU time in percent of a core, current memory (bytes). */
  look(): { readonly loopLagMs: number; readonly cpuPercent: number; readonly memoryBytes: number }
}

/** Sampling interval of the event loop (ms). */
const RESOLUTION_MS = 20

/** Measures this process. Has no cost while stopped. */
export class ProcessPulse implements ProcessStats {
  #loop: ReturnType<typeof monitorEventLoopDelay> | undefined
  #cpu = process.cpuUsage()
  #at = performance.now()

  start(): void {
    this.#loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    this.#loop.enable()
    this.#cpu = process.cpuUsage()
    this.#at = performance.now()
  }

  stop(): void {
    this.#loop?.disable()
    this.#loop = undefined
  }

  look() {
    const loop = this.#loop
    const loopLagMs = loop && loop.count > 0 ? Math.max(0, loop.max / 1e6 - RESOLUTION_MS) : 0
    loop?.reset()
    const at = performance.now()
    const { user, system } = process.cpuUsage(this.#cpu)
    const cpuPercent = (user + system) / 10 / Math.max(1, at - this.#at)
    this.#cpu = process.cpuUsage()
    this.#at = at
    return { loopLagMs, cpuPercent, memoryBytes: process.memoryUsage.rss() }
  }
}
