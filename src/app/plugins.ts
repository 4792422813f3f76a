import { randomBytes } from 'node:crypto'
import websocket from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'
import browserBridge, { SHARED_FILES } from '../bridges/browser/index.ts'
import { rejectWhileOverloaded } from '../bridges/phone/call-policy.ts'
import type { CarrierBridgeOptions } from '../bridges/phone/carrier-bridge.ts'
import { createNumberRouter } from '../bridges/phone/number-routing.ts'
import { WEBSOCKET_OPTIONS } from '../bridges/websocket/socket-routes.ts'
import { assertInstalled } from '../common/optional-package.ts'
import { pageFiles } from '../pages/page-files.ts'
import { captionPage } from '../web/captions/caption-links.ts'
import { BearerKeys } from '../web/control/auth.ts'
import { controlApi } from '../web/control/control-api.ts'
import status from '../web/status.ts'
import { browserOptions, discordOptions } from './bridges.ts'
import { numbersOf } from './carriers.ts'
import type { AppContext } from './context.ts'
import { registerDashboard } from './dashboard.ts'
import { canTakeOver, carrierFleet } from './fleet.ts'
import { registerMetrics } from './observability.ts'

/** Registers every part of the server: bridges, pages and APIs. */
export async function registerPlugins(server: FastifyInstance, context: AppContext): Promise<void> {
  const { settings, carriers, clock } = context
  const { relay } = context.calls
  const keys = new BearerKeys(settings.control, clock, {
    nodes: () => context.fleet.nodes.length,
    maxAttemptsPerMinute: context.limits.maxAttemptsPerMinute,
  })
  await registerMetrics(server, context, { keys, notReady: () => notReady(context) })
  await server.register(websocket, WEBSOCKET_OPTIONS)
  await server.register(pageFiles, { shared: SHARED_FILES })
  const { fleet } = context
  await server.register(status, {
    relay,
    notReady: () => notReady(context),
    ...(fleet.status === 'alone' ? {} : { fleet: () => fleet.status }),
  })
  await server.register(controlApi, {
    prefix: '/v1',
    context: context.control.services,
    settings: settings.control,
    keys,
  })
  await server.register(captionPage)
  // The dashboard’s simulated calls are signed like all others, with a private token.
  const token = settings.twilio.insecure ? undefined : randomBytes(24).toString('base64url')
  for (const { dialer, register } of carriers)
    await register(server, { ...carrierOptions(context), dialer }, token)
  await registerDashboard(server, context, { keys, token, notReady: () => notReady(context) })
  await server.register(browserBridge, browserOptions(context))
  const discord = discordOptions(context)
  // Loaded only when needed: Discord’s library and native Opus are large.
  if (!discord) return
  assertInstalled('discord')
  await server.register((await import('../bridges/discord/index.ts')).default, discord)
}

function notReady({ guards: { drain, overload }, service }: AppContext) {
  if (drain.draining) return 'draining' as const
  if (overload.reason) return 'overloaded' as const
  return service.running ? undefined : ('service-unavailable' as const)
}

/** Options that all carriers share. */
function carrierOptions(context: AppContext): CarrierBridgeOptions {
  const { settings, fleet, homes, calls, stores, control, clock, log } = context
  const { relay, announcer, twoPartyCalls, roomCodes, roomCodeLimiter } = calls
  const { drain, overloadCheck, numberQuota } = context.guards
  const { languages, publicUrl } = settings
  const invite = createNumberRouter(
    languages,
    numbersOf(settings),
    {
      roomOf: code => roomCodes.find(code),
      roomCodeLimiter,
      remembered: stores.callerLanguages,
    },
    log,
  )
  const rejection = () => overloadCheck.rejection() ?? (relay.full ? 'full' : undefined)
  const { newCalls, resumeDelaySeconds } = settings.drain
  return {
    relay: control.admission(twoPartyCalls),
    clock,
    log,
    announcer,
    invite: numberQuota.within(rejectWhileOverloaded({ rejection }, languages.hears, invite)),
    departure: () =>
      drain.draining && !canTakeOver(fleet)
        ? { elsewhere: newCalls === 'unavailable', resumeDelaySeconds }
        : undefined,
    publicUrl,
    fleet: carrierFleet(fleet, homes, publicUrl, calls.changes),
    callStore: stores.calls,
  }
}
