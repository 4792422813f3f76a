import { randomBytes } from 'node:crypto'
import websocket from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'
import browserBridge, { SHARED_FILES } from '../bridges/browser/index.ts'
import { rejectWhileOverloaded } from '../bridges/phone/call-policy.ts'
import type { CarrierBridgeOptions } from '../bridges/phone/carrier-bridge.ts'
import { createNumberRouter } from '../bridges/phone/number-routing.ts'
import { WEBSOCKET_OPTIONS } from '../bridges/websocket/socket-routes.ts'
import { assertInstalled } from '../common/optional-package.ts'
import { systemWallClock } from '../common/wall-clock.ts'
import { FleetLease } from '../core/calls/fleet-lease.ts'
import { listenPath } from '../pages/page-document.ts'
import { pageFiles } from '../pages/page-files.ts'
import { captionPage, captionPagePath, LONGEST_CAPTION_LINK_MS } from '../web/captions/caption-links.ts'
import { BearerKeys } from '../web/control/auth.ts'
import { controlApi } from '../web/control/control-api.ts'
import { refusedLanguages } from '../web/control/room-plans.ts'
import status, { statusWords } from '../web/status.ts'
import { inOneLanguage } from '../web/transcripts/one-language.ts'
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
  await server.register(browserBridge, browser(context))
  const discord = discordBot(context)
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

function browser(context: AppContext) {
  const { settings, fleet, homes, calls, guards, control, service, clock, log } = context
  const { relay, twoPartyCalls, roomCodes, addressCodeLimiter: roomCodeLimiter } = calls
  const { roomLinks, listenLinks, visits, lives, links, groupOf, plans } = control.services
  const { languages, publicUrl } = settings
  return browserOptions(settings.browser, {
    ...{ relay, roomCodes, roomCodeLimiter, languages, publicUrl, service, groupOf, clock, log },
    admission: control.admission(twoPartyCalls),
    overloadCheck: guards.overloadCheck,
    numbers: numbersOf(settings),
    links: roomLinks,
    visits,
    listenLinks,
    // Not by the twoPartyCalls: an audience takes no part in a call.
    audienceAdmission: control.admission(relay),
    audienceLanguage: (room, language) => refusedLanguages(plans.find(room), [language]).length === 0,
    homes: fleet.status === 'alone' ? undefined : homes,
    captions: (room, ttlMs) =>
      // Without API keys, the data of captions is not kept.
      settings.control.keys.length === 0 || lives.idOf(room) === undefined
        ? undefined
        : captionPagePath(room, links.issue(room, Math.min(ttlMs, LONGEST_CAPTION_LINK_MS)).token),
    discord: settings.discord?.token !== undefined,
    dashboard: '/dashboard',
    words: statusWords,
  })
}

/** Links for hearing a room in the browser; undefined without a public address. */
function listenLinksFor({ settings, control }: AppContext) {
  const { publicUrl, browser: { linkMinutes: minutes = 120 } = {} } = settings
  if (publicUrl === undefined) return undefined
  const { listenLinks } = control.services
  return async (room: string) => {
    const token = await listenLinks.issue(room, minutes * 60_000)
    return { url: publicUrl.replace(/\/+$/, '') + listenPath(token), minutes }
  }
}

function discordBot(context: AppContext) {
  const { settings, fleet, calls, stores, control, service, clock, log } = context
  const { relay, announcer, dialer, roomCodes, roomCodeLimiter } = calls
  const { preferences, channels } = stores
  const numbers = numbersOf(settings)
  return discordOptions(settings.discord, {
    ...{ relay, announcer, dialer, roomCodes, preferences, clock, log },
    service: { url: service.url, apiKey: service.apiKey, mode: settings.service.mode },
    admission: control.admission(relay),
    roomCodeLimiter,
    listenLinks: listenLinksFor(context),
    running: channels,
    transcripts: inOneLanguage(control.services.transcripts),
    keepsLonger: settings.transcripts.store !== 'never',
    recording: settings.recording.mode,
    turn:
      fleet.status === 'alone' ? undefined : new FleetLease({ fleet, name: 'discord shard 0', clock, log }),
    wallClock: systemWallClock,
    phoneNumbers: Object.keys(numbers).filter(number => numbers[number]?.roomCode),
  })
}
