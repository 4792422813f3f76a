import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../common/clock.ts'
import type { Logger } from '../common/log.ts'
import { assertInstalled } from '../common/optional-package.ts'
import { systemWallClock } from '../common/wall-clock.ts'
import type { Observer } from '../core/model/events.ts'
import { TraceCounters } from '../tracing/counters.ts'
import type { TracingSettings } from '../tracing/settings.ts'
import type { BearerKeys } from '../web/control/auth.ts'
import { EventTally, HttpTally } from '../web/metrics/event-counters.ts'
import { Exposition, type Family } from '../web/metrics/metric-family.ts'
import { metrics } from '../web/metrics/metrics-route.ts'
import { eventFamilies, relayFamilies } from '../web/metrics/relay-metrics.ts'
import {
  controlMetrics,
  type Guarded,
  guardFamilies,
  processFamilies,
} from '../web/metrics/server-metrics.ts'
import type { AppContext } from './context.ts'
import { browserFamilies, discordFamilies, telephonyFamilies } from './metrics/bridge-families.ts'
import {
  dashboardFamilies,
  ownFamilies,
  recordingFamilies,
  traceFamilies,
} from './metrics/server-families.ts'

/** Returns the version from package.json, which is next to both `src` and the build output. */
export function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return String(version)
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Metrics of this server. */
    metrics: Exposition
  }
}

/** Registers `/metrics` on `server`. Call it before all other routes, so that their requests are counted. */
export async function registerMetrics(
  server: FastifyInstance,
  context: AppContext,
  { keys, notReady }: { readonly keys: BearerKeys; readonly notReady: () => string | undefined },
): Promise<void> {
  const { settings, calls } = context
  const tally = new EventTally(calls.relay.observer)
  server.addHook('onClose', async () => tally[Symbol.dispose]())
  const http = new HttpTally(server)
  const exposition = new Exposition([...families(server, context, tally, notReady), ...http.families()])
  server.decorate('metrics', exposition)
  await server.register(metrics, {
    exposition,
    settings: settings.metrics,
    keys: settings.control.keys.length === 0 ? undefined : keys,
  })
}

function families(
  server: FastifyInstance,
  context: AppContext,
  tally: EventTally,
  notReady: () => string | undefined,
): Family[] {
  const { calls, guards, requestGuard, carriers, service, control, traces } = context
  const { relay, rateLimitedDialer, roomCodeLimiter, recorder } = calls
  const { overload, drain, numberQuota } = guards
  const embedded = () => service.process
  const servers = (): Guarded[] => {
    const figures = embedded()?.figures
    const bridge = { server: 'bridge', requestGuard: requestGuard.counters, overload } as const
    return figures
      ? [bridge, { server: 'service', requestGuard: figures.requestGuard, overload: figures.overload }]
      : [bridge]
  }
  return [
    ...relayFamilies(relay),
    ...eventFamilies(tally),
    ...telephonyFamilies({
      carriers: carriers.map(({ name, dialer, bridge }) => ({
        ...{ carrier: name, dialer },
        bridge: () => bridge(server)!,
      })),
      numbers: numberQuota,
      dialLimit: rateLimitedDialer,
      roomCodes: roomCodeLimiter,
    }),
    ...browserFamilies(() => server.browser),
    ...discordFamilies(() => (server.hasDecorator('discord') ? server.discord : undefined)),
    ...controlMetrics(control.context),
    ...recordingFamilies(recorder.stats),
    ...dashboardFamilies(() => server.dashboard),
    ...guardFamilies(servers),
    ...ownFamilies({ drain, embedded, notReady }),
    ...traceFamilies(traces),
    ...processFamilies(version()),
  ]
}

export interface TracingOptions {
  readonly observer: Observer
  readonly clock: Clock
  readonly log: Logger
}

/** Opens the configured traces with their counters; returns undefined without an address. */
export async function startTracing(
  settings: TracingSettings,
  { observer, clock, log }: TracingOptions,
): Promise<(AsyncDisposable & { readonly counters: TraceCounters }) | undefined> {
  if (settings.url === undefined) return undefined
  assertInstalled('tracing')
  // Loaded only when needed.
  const { openTracing } = await import('../tracing/tracing.ts')
  const counters = new TraceCounters()
  const options = { observer, clock, wall: systemWallClock, log, counters, version: version() }
  const tracing = openTracing(settings, settings.url, options)
  return { counters, [Symbol.asyncDispose]: () => tracing[Symbol.asyncDispose]() }
}
