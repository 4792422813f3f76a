import type { FastifyInstance } from 'fastify'
import { type Metric, Registry } from 'prom-client'
import { version } from '../common/version.ts'
import type { BearerKeys } from '../web/control/auth.ts'
import { EventMetrics, requestMetrics } from '../web/metrics/event-metrics.ts'
import { metrics } from '../web/metrics/metrics-route.ts'
import { relayMetrics } from '../web/metrics/relay-metrics.ts'
import { controlMetrics, type Guarded, guardMetrics, processMetrics } from '../web/metrics/server-metrics.ts'
import type { AppContext } from './context.ts'
import { browserMetrics, discordMetrics, telephonyMetrics } from './metrics/bridge-metrics.ts'
import { engineMetrics } from './metrics/engine-metrics.ts'
import { fleetMetrics } from './metrics/fleet-metrics.ts'
import { ownMetrics } from './metrics/own-metrics.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Metrics of this server. */
    metrics: Registry
  }
}

/** Registers `/metrics` on `server`. Call it before all other routes, so that their requests are counted. */
export async function registerMetrics(
  server: FastifyInstance,
  context: AppContext,
  { keys, notReady }: { readonly keys: BearerKeys; readonly notReady: () => string | undefined },
): Promise<void> {
  const { settings, calls } = context
  const carriers = context.carriers.map(({ name }) => name)
  const events = new EventMetrics(calls.relay.observer, [...carriers, 'discord', 'browser'])
  server.addHook('onClose', async () => events[Symbol.dispose]())
  const registry = new Registry()
  for (const metric of [
    ...events.metrics,
    ...requestMetrics(server, carriers),
    ...ownerMetrics(server, context, notReady),
  ])
    registry.registerMetric(metric)
  server.decorate('metrics', registry)
  await server.register(metrics, {
    registry,
    settings: settings.metrics,
    keys: settings.control.keys.length === 0 ? undefined : keys,
  })
}

/** Metrics of figures that their owners keep. */
function ownerMetrics(
  server: FastifyInstance,
  context: AppContext,
  notReady: () => string | undefined,
): Metric[] {
  const { calls, guards, requestGuard, carriers, service, control, fleet, homes, traces } = context
  const { relay, carrierSelection, roomCodeLimiter, recorder } = calls
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
    ...relayMetrics(relay),
    ...telephonyMetrics({
      carriers: carriers.map(({ name, dialer, bridge }) => ({
        ...{ carrier: name, dialer },
        bridge: () => bridge()!,
      })),
      numbers: numberQuota,
      dialLimit: carrierSelection.available ? carrierSelection : undefined,
      roomCodes: roomCodeLimiter,
    }),
    ...browserMetrics(() => server.browser),
    ...discordMetrics(() => (server.hasDecorator('discord') ? server.discord : undefined)),
    ...controlMetrics(control.services),
    ...guardMetrics(servers),
    ...ownMetrics({
      ...{ drain, embedded, notReady, traces },
      recordings: recorder.stats,
      dashboard: () => server.dashboard,
    }),
    ...engineMetrics(() => embedded()?.figures),
    ...fleetMetrics({ fleet, homes }),
    ...processMetrics(version),
  ]
}
