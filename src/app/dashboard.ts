import type { FastifyInstance } from 'fastify'
import { systemWallClock } from '../common/wall-clock.ts'
import type { BearerKeys } from '../web/control/auth.ts'
import { ActivityFeed } from '../web/dashboard/activity.ts'
import { dashboard } from '../web/dashboard/dashboard.ts'
import { ProcessPulse } from '../web/dashboard/health.ts'
import { ViewerHub } from '../web/dashboard/viewer-hub.ts'
import type { AppContext } from './context.ts'
import type { DashboardStats } from './metrics/server-families.ts'
import { languageCatalog } from './service.ts'
import { LoopbackCalls } from './simulated-calls.ts'

declare module 'fastify' {
  interface FastifyInstance {
    dashboard: DashboardStats
  }
}

export interface DashboardOptions {
  /** Keys of the control API, so that wrong keys are counted once. */
  readonly keys: BearerKeys
  /** Signs simulated calls; undefined if requests are not signed. */
  readonly token: string | undefined
}

/** Registers the dashboard and its simulated calls on `server`; both end with the server. */
export async function registerDashboard(
  server: FastifyInstance,
  context: AppContext,
  { keys, token }: DashboardOptions,
): Promise<void> {
  const { requestGuard, control, service, clock, log } = context
  const { dashboard: settings, publicUrl } = context.settings
  const { relay } = context.calls
  const { overload, drain, admissionControl } = context.guards
  const { recorder } = control.services
  const wall = systemWallClock
  const calls = new LoopbackCalls({
    ...{ settings, token, publicUrl, admissionControl, drain, clock, wall, log },
    address: () => server.server.address(),
  })
  server.addHook('preClose', () => calls[Symbol.asyncDispose]())
  const feed = new ActivityFeed({
    ...{ relay, overload, requestGuard, drain, clock, wall },
    pulse: new ProcessPulse(),
    embedded: () => service.process,
    simulated: call => calls.phoneOf(call),
    calls: () => calls.calls,
    recording: room => {
      const { state, fault } = recorder?.of(room) ?? {}
      return fault === undefined ? (state ?? null) : `${state}, ${fault}`
    },
  })
  feed.start()
  server.addHook('onClose', async () => feed[Symbol.dispose]())
  const audience = new ViewerHub({ clock, maxViewers: settings.maxViewers, feed: () => feed.watch() })
  server.decorate('dashboard', {
    get audience() {
      return audience.stats
    },
    get simulated() {
      return calls.stats
    },
  })
  await server.register(dashboard, {
    prefix: '/dashboard',
    keys: context.settings.control.keys.length === 0 ? undefined : keys,
    audience,
    clock,
    fleet: context.fleet.status === 'alone' ? undefined : context.fleet,
    simulated: settings.simulatedCalls === 0 ? undefined : calls,
    languages: languageCatalog(service),
    log,
  })
}
