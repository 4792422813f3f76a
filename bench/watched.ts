import type { FastifyInstance } from 'fastify'
import { systemClock } from '../src/common/clock.ts'
import { noopLogger } from '../src/common/log.ts'
import type { Relay } from '../src/core/room/relay.ts'
import { RequestGuardCounters } from '../src/net/request-guard.ts'
import { BearerKeys } from '../src/web/control/auth.ts'
import { controlSettingsSchema } from '../src/web/control/settings.ts'
import { ActivityFeed } from '../src/web/dashboard/activity.ts'
import { dashboard } from '../src/web/dashboard/dashboard.ts'
import { ProcessPulse } from '../src/web/dashboard/health.ts'
import { ViewerHub } from '../src/web/dashboard/viewer-hub.ts'

/** Opens the dashboard of a bridge under load, only for this bench. */
export const BENCH_KEY = 'the-key-of-the-bench-itself'

/** Adds the unchanged dashboard to a bridge under load; its environment data is constant. */
export async function addDashboard(app: FastifyInstance, relay: Relay): Promise<void> {
  const wall = () => performance.timeOrigin + performance.now()
  const activity = new ActivityFeed({
    ...{ relay, wall, clock: systemClock, pulse: new ProcessPulse() },
    overload: { reason: undefined, rejected: 0, memoryShare: 0 },
    requestGuard: { counters: new RequestGuardCounters() },
    drain: { draining: false },
    embedded: () => undefined,
    simulated: () => null,
    recording: () => null,
    calls: () => [],
  })
  activity.start()
  const audience = new ViewerHub({ clock: systemClock, maxViewers: 100, feed: () => activity.watch() })
  const settings = controlSettingsSchema.parse({ keys: [{ name: 'bench', key: BENCH_KEY }] })
  await app.register(dashboard, {
    prefix: '/dashboard',
    keys: new BearerKeys(settings, systemClock),
    audience,
    clock: systemClock,
    simulated: undefined,
    languages: async () => [],
    log: noopLogger,
  })
}
