import type { FastifyInstance } from 'fastify'
import type { BearerKeys } from '../web/control/bearer-keys.ts'
import { EventTally } from '../web/metrics/event-tally.ts'
import { Exposition } from '../web/metrics/exposition.ts'
import type { Family } from '../web/metrics/family.ts'
import { floorFamilies } from '../web/metrics/floor-metrics.ts'
import { type Guarded, guardFamilies } from '../web/metrics/guard-metrics.ts'
import { HttpTally } from '../web/metrics/http-tally.ts'
import { metrics } from '../web/metrics/metrics.ts'
import { processFamilies } from '../web/metrics/process-metrics.ts'
import { eventFamilies, relayFamilies } from '../web/metrics/relay-metrics.ts'
import { metricsSettingsSchema } from '../web/metrics/settings.ts'
import { browserFamilies } from './metrics/browser-families.ts'
import { dashboardFamilies } from './metrics/dashboard-families.ts'
import { discordFamilies } from './metrics/discord-families.ts'
import { ownFamilies } from './metrics/own-families.ts'
import { recordingFamilies } from './metrics/recording-families.ts'
import { telephoneFamilies } from './metrics/telephone-families.ts'
import { traceFamilies } from './metrics/trace-families.ts'
import type { PluginParts } from './plugins.ts'
import { version } from './version.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Metrics of this server. */
    metrics: Exposition
  }
}

/** Registers `/metrics` on `server`. Call it before all other routes, so that their requests are counted. */
export async function registerMetrics(
  server: FastifyInstance,
  parts: PluginParts,
  { keys, notReady }: { readonly keys: BearerKeys; readonly notReady: () => string | undefined },
): Promise<void> {
  const { config, control, relay } = parts
  const tally = new EventTally(relay.observer)
  server.addHook('onClose', async () => tally[Symbol.dispose]())
  const http = new HttpTally(server)
  const exposition = new Exposition([...families(server, parts, tally, notReady), ...http.families()])
  server.decorate('metrics', exposition)
  await server.register(metrics, {
    exposition,
    settings: metricsSettingsSchema.parse(config.metrics ?? {}),
    keys: control.keys.length === 0 ? undefined : keys,
  })
}

function families(
  server: FastifyInstance,
  parts: PluginParts,
  tally: EventTally,
  notReady: () => string | undefined,
): Family[] {
  const { relay, door, overload, drain, front, ration, guesses, twilioDialler } = parts
  const { embedded } = parts.service
  const servers = (): Guarded[] => {
    const figures = embedded()?.figures
    const bridge = { server: 'bridge', door: door.counters, overload } as const
    return figures
      ? [bridge, { server: 'service', door: figures.door, overload: figures.overload }]
      : [bridge]
  }
  return [
    ...relayFamilies(relay),
    ...eventFamilies(tally),
    ...telephoneFamilies({
      twilio: () => server.twilio,
      dials: twilioDialler?.counters,
      usage: twilioDialler,
      numbers: parts.numberLimits,
      ration,
      guesses,
    }),
    ...browserFamilies(() => server.browser),
    ...discordFamilies(() => (server.hasDecorator('discord') ? server.discord : undefined)),
    ...floorFamilies(front.floor),
    ...recordingFamilies(parts.recordings),
    ...dashboardFamilies(() => server.dashboard),
    ...guardFamilies(servers),
    ...ownFamilies({ drain, embedded, notReady }),
    ...traceFamilies(parts.traces),
    ...processFamilies(version()),
  ]
}
