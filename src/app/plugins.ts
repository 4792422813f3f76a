import { randomBytes } from 'node:crypto'
import websocket from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'
import browserBridge from '../bridges/browser/index.ts'
import { rejectWhileOverloaded } from '../bridges/telephony/call-policy.ts'
import type { CarrierBridgeOptions } from '../bridges/telephony/carrier-bridge.ts'
import { createNumberRouter } from '../bridges/telephony/number-routing.ts'
import { systemWallClock } from '../common/wall-clock.ts'
import { pageFiles } from '../pages/page-files.ts'
import { captionPage, captionPagePath, LONGEST_LINK_MS } from '../web/captions/caption-page.ts'
import { BearerKeys } from '../web/control/auth.ts'
import { controlApi } from '../web/control/control-api.ts'
import status, { statusWords } from '../web/status.ts'
import { browserOptions, discordOptions } from './bridges.ts'
import { numbersOf } from './carriers.ts'
import type { PluginOptions } from './context.ts'
import { registerDashboard } from './dashboard.ts'
import { registerMetrics } from './observability.ts'

/** Registers every part of the server: bridges, pages and APIs. */
export async function registerPlugins(server: FastifyInstance, parts: PluginOptions): Promise<void> {
  const keys = new BearerKeys(parts.control, parts.clock)
  await registerMetrics(server, parts, { keys, notReady: () => notReady(parts) })
  // Bridges open their own sockets, with their own limits; any other socket is closed as soon as it opens.
  await server.register(websocket, { options: { maxPayload: 65_536, perMessageDeflate: false } })
  await server.register(pageFiles, { shared: ['bridges/browser/audio-packet'] })
  await server.register(status, { relay: parts.relay, notReady: () => notReady(parts) })
  const { context } = parts.front
  await server.register(controlApi, { prefix: '/v1', context, settings: parts.control, keys })
  await server.register(captionPage)
  // The dashboard’s simulated calls are signed like all others, with a private token.
  const token = parts.config.twilio.insecure ? undefined : randomBytes(24).toString('base64url')
  for (const { dialer, register } of parts.carriers)
    await register(server, { ...carrierOptions(parts), dialer }, token)
  await registerDashboard(server, parts, { keys, token })
  await server.register(browserBridge, browser(parts))
  const discord = discordBot(parts)
  // Loaded only when needed: Discord’s library and native Opus are large.
  if (discord) await server.register((await import('../bridges/discord/index.ts')).default, discord)
}

function notReady({ drain, overload, service }: PluginOptions) {
  if (drain.draining) return 'draining' as const
  if (overload.reason) return 'overloaded' as const
  return service.running() ? undefined : ('service-unavailable' as const)
}

/** Options that all carriers share. */
function carrierOptions(parts: PluginOptions): CarrierBridgeOptions {
  const { config, front, switchboard, drain, drainSettings, admissionControl, desk } = parts
  const { announcer, clock, log } = parts
  const { languages, publicUrl } = config
  return {
    relay: front.admission(switchboard),
    clock,
    log,
    announcer,
    invite: parts.numberLimits.within(
      rejectWhileOverloaded(
        { rejection: () => admissionControl.rejection() ?? (parts.relay.full ? 'full' : undefined) },
        languages.hears,
        createNumberRouter(languages, numbersOf(config), desk, log),
      ),
    ),
    departure: () =>
      drain.draining
        ? {
            elsewhere: drainSettings.newCalls === 'unavailable',
            resumeDelaySeconds: drainSettings.resumeDelaySeconds,
          }
        : undefined,
    publicUrl,
  }
}

function browser(parts: PluginOptions) {
  const { config, relay, front, switchboard, roomCodes, admissionControl, clock, log } = parts
  const { languages, publicUrl } = config
  return browserOptions(config.browser, {
    ...{ relay, roomCodes, admissionControl, languages, publicUrl, clock, log },
    admission: front.admission(switchboard),
    numbers: numbersOf(config),
    links: front.context.roomLinks,
    captions: (room, ttlMs) =>
      // Without API keys, nothing that captions need is kept.
      parts.control.keys.length === 0 || front.context.lives.idOf(room) === undefined
        ? undefined
        : captionPagePath(room, front.context.links.issue(room, Math.min(ttlMs, LONGEST_LINK_MS)).token),
    discord: config.discord?.token !== undefined,
    dashboard: '/dashboard',
    service: parts.service,
    words: statusWords,
    groupOf: front.context.groupOf,
  })
}

function discordBot(parts: PluginOptions) {
  const { config, relay, announcer, dialer, roomCodes, preferences, clock, log, front, desk } = parts
  const { url, apiKey } = parts.service
  const numbers = numbersOf(config)
  return discordOptions(config.discord, {
    ...{ relay, announcer, dialer, roomCodes, preferences, clock, log },
    admission: front.admission(relay),
    guesses: desk.guesses,
    running: parts.discordChannels,
    wallClock: systemWallClock,
    service: { url, apiKey },
    phoneNumbers: Object.keys(numbers).filter(number => numbers[number]?.roomCode),
  })
}
