import type { FastifyInstance } from 'fastify'
import { version } from '../common/version.ts'
import { systemWallClock } from '../common/wall-clock.ts'
import type { BearerKeys } from '../web/control/auth.ts'
import { ActivityLog } from '../web/dashboard/activity-log.ts'
import { dashboard, OtherNodes } from '../web/dashboard/dashboard.ts'
import { type ServerSources, serverState } from '../web/dashboard/server-state.ts'
import type { NodeState } from '../web/dashboard/state.ts'
import { Viewers } from '../web/dashboard/viewers.ts'
import type { AppContext } from './context.ts'
import { languageCatalog } from './service.ts'
import { LoopbackCalls } from './simulated-calls.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Numbers of open pages and of simulated calls in progress. */
    dashboard: { readonly viewers: number; readonly simulatedCalls: number }
  }
}

export interface DashboardOptions {
  /** Keys of the control API, so that wrong keys are counted once. */
  readonly keys: BearerKeys
  /** Signs simulated calls; undefined if requests are not signed. */
  readonly token: string | undefined
  /** Returns why new calls are not accepted. */
  readonly notReady: () => string | undefined
}

/** Registers the dashboard and its simulated calls on `server`; both end with the server. */
export async function registerDashboard(
  server: FastifyInstance,
  context: AppContext,
  { keys, token, notReady }: DashboardOptions,
): Promise<void> {
  const { control, service, clock, log } = context
  const { dashboard: settings, publicUrl } = context.settings
  const { relay } = context.calls
  const { overload, drain, overloadCheck } = context.guards
  const { recorder, forwarding } = control.services
  const wall = systemWallClock
  const calls = new LoopbackCalls({
    ...{ settings, token, publicUrl, overloadCheck, drain, clock, wall, log },
    address: () => server.server.address(),
  })
  server.addHook('preClose', () => calls[Symbol.asyncDispose]())
  const activity = new ActivityLog({ relay, wall, simulated: call => calls.phoneOf(call) })
  activity.start()
  server.addHook('onClose', async () => activity[Symbol.dispose]())
  const sources: ServerSources = {
    ...{ relay, overload, clock, wall, notReady },
    log: activity,
    embedded: () => service.process,
    simulated: call => calls.phoneOf(call),
    calls: () => calls.calls,
    recording: room => {
      const { state, fault } = recorder?.of(room) ?? {}
      return fault === undefined ? (state ?? null) : `${state}, ${fault}`
    },
  }
  const about = { node: context.fleet.status === 'alone' ? null : context.fleet.node, version }
  const read = () =>
    JSON.stringify({
      ...about,
      status: drain.draining ? 'draining' : 'up',
      state: serverState(sources),
    } satisfies NodeState)
  const viewers = new Viewers({ clock, read })
  server.decorate('dashboard', {
    get viewers() {
      return viewers.count
    },
    get simulatedCalls() {
      return calls.calls.length
    },
  })
  await server.register(dashboard, {
    prefix: '/dashboard',
    keys: context.settings.control.keys.length === 0 ? undefined : keys,
    ...{ viewers, read, wall },
    others: forwarding && new OtherNodes(context.fleet, forwarding),
    simulated: settings.simulatedCalls === 0 ? undefined : calls,
    languages: languageCatalog(service),
    log,
  })
}
