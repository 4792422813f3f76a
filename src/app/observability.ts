import type { FastifyInstance } from 'fastify'
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
import { engineFamilies } from './metrics/engine-families.ts'
import { fleetFamilies } from './metrics/fleet-families.ts'
import {
  dashboardFamilies,
  ownFamilies,
  recordingFamilies,
  traceFamilies,
} from './metrics/server-families.ts'
import { version } from './server.ts'

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
  const carriers = context.carriers.map(({ name }) => name)
  const tally = new EventTally(calls.relay.observer, [...carriers, 'discord', 'browser'])
  tally.start()
  server.addHook('onClose', async () => tally[Symbol.dispose]())
  const http = new HttpTally(carriers)
  http.count(server)
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
    ...relayFamilies(relay),
    ...eventFamilies(tally),
    ...telephonyFamilies({
      carriers: carriers.map(({ name, dialer, bridge }) => ({
        ...{ carrier: name, dialer },
        bridge: () => bridge()!,
      })),
      numbers: numberQuota,
      dialLimit: carrierSelection.available ? carrierSelection : undefined,
      roomCodes: roomCodeLimiter,
    }),
    ...browserFamilies(() => server.browser),
    ...discordFamilies(() => (server.hasDecorator('discord') ? server.discord : undefined)),
    ...controlMetrics(control.services),
    ...recordingFamilies(recorder.stats),
    ...dashboardFamilies(() => server.dashboard),
    ...guardFamilies(servers),
    ...ownFamilies({ drain, embedded, notReady }),
    ...engineFamilies(() => embedded()?.figures),
    ...fleetFamilies({ fleet, homes }),
    ...traceFamilies(traces),
    ...processFamilies(version()),
  ]
}
