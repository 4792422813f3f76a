import { randomBytes } from 'node:crypto'
import websocket from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'
import browserBridge from '../bridges/browser/index.ts'
import { type Doorkeeper, invitationsOf } from '../bridges/telephony/invitations.ts'
import type { NumberLimits } from '../bridges/telephony/number-limits.ts'
import { type Doorman, whileStrong } from '../bridges/telephony/open-lines.ts'
import twilioBridge from '../bridges/twilio/index.ts'
import type { Clock } from '../common/clock.ts'
import type { Log } from '../common/log.ts'
import { systemWallClock } from '../common/wall-clock.ts'
import type { GuessLimit } from '../core/calls/guess-limit.ts'
import type { RationedDialler } from '../core/calls/rationed-dialler.ts'
import type { RoomCodes } from '../core/calls/room-codes.ts'
import type { Switchboard } from '../core/calls/switchboard.ts'
import type { Announcer } from '../core/model/announcer.ts'
import type { Dialler } from '../core/model/dialer.ts'
import type { Relay } from '../core/room/relay.ts'
import type { RecordingStats } from '../media/recording/recording-stats.ts'
import type { Door } from '../net/door.ts'
import type { Overload } from '../net/overload.ts'
import { pageFiles } from '../pages/page-files.ts'
import type { TraceCounters } from '../tracing/counted-exporter.ts'
import { captionPage } from '../web/captions/caption-page.ts'
import { captionPagePath } from '../web/captions/caption-page-path.ts'
import { LONGEST_LINK_MS } from '../web/captions/link-token.ts'
import { BearerKeys } from '../web/control/bearer-keys.ts'
import { controlApi } from '../web/control/control-api.ts'
import type { OpenFloor } from '../web/control/open-context.ts'
import type { ControlSettings } from '../web/control/settings.ts'
import status, { statusWords } from '../web/status.ts'
import type { AppConfig } from './app-config.ts'
import { browserOptions } from './browser.ts'
import { registerDashboard } from './dashboard.ts'
import { type openDialler, signingTokens } from './dialling.ts'
import { discordOptions, type openChannels, type openPreferences } from './discord.ts'
import type { Drain, DrainSettings } from './drain.ts'
import type { EmbeddedService } from './metrics/own-families.ts'
import { registerMetrics } from './metrics.ts'

/** Dependencies of the app’s plugins. The caller keeps ownership. */
export interface PluginParts {
  readonly config: AppConfig
  readonly relay: Relay
  readonly announcer: Announcer
  readonly switchboard: Switchboard
  readonly dialler: Dialler | undefined
  readonly twilioDialler: ReturnType<typeof openDialler>
  /** Rate limit in front of the dialer; undefined if outbound calls are off. */
  readonly ration: RationedDialler | undefined
  readonly roomCodes: RoomCodes
  readonly preferences: ReturnType<typeof openPreferences>
  readonly discordChannels: ReturnType<typeof openChannels>
  readonly desk: Doorkeeper
  /** Guess limit of `desk`. */
  readonly guesses: GuessLimit
  readonly front: OpenFloor
  readonly control: ControlSettings
  readonly door: Door
  readonly overload: Overload
  readonly drain: Drain
  readonly drainSettings: DrainSettings
  readonly doorman: Doorman
  /** Undefined: tracing is off. */
  readonly traces: TraceCounters | undefined
  readonly recordings: RecordingStats
  readonly numberLimits: NumberLimits
  /**
   * Current address and key of the translation service; `running` is false while the embedded service is unavailable.
   */
  readonly service: {
    readonly url: () => string
    readonly apiKey: string
    readonly running: () => boolean
    readonly embedded: () => EmbeddedService | undefined
  }
  readonly clock: Clock
  readonly log: Log
}

/** Registers every part of the server: bridges, pages and APIs. */
export async function registerPlugins(server: FastifyInstance, parts: PluginParts): Promise<void> {
  const keys = new BearerKeys(parts.control, parts.clock)
  await registerMetrics(server, parts, { keys, notReady: () => notReady(parts) })
  // Bridges open their own sockets, with their own limits; any other socket is closed as soon as it opens.
  await server.register(websocket, { options: { maxPayload: 65_536, perMessageDeflate: false } })
  await server.register(pageFiles, { shared: ['bridges/browser/audio-packet'] })
  await server.register(status, { relay: parts.relay, notReady: () => notReady(parts) })
  const { floor } = parts.front
  await server.register(controlApi, { prefix: '/v1', floor, settings: parts.control, keys })
  await server.register(captionPage)
  // The dashboard’s simulated calls are signed like all others, with a private token.
  const token = parts.config.twilio.insecure ? undefined : randomBytes(24).toString('base64url')
  await server.register(twilioBridge, twilioOptions(parts, token))
  await registerDashboard(server, parts, { keys, token })
  await server.register(browserBridge, browser(parts))
  const discord = discordBot(parts)
  // Loaded only when needed: Discord’s library and native Opus are large.
  if (discord) await server.register((await import('../bridges/discord/index.ts')).default, discord)
}

function notReady({ drain, overload, service }: PluginParts) {
  if (drain.draining) return 'draining' as const
  if (overload.strain) return 'overloaded' as const
  return service.running() ? undefined : ('service-away' as const)
}

function twilioOptions(parts: PluginParts, token: string | undefined): Parameters<typeof twilioBridge>[1] {
  const { config, front, switchboard, drain, drainSettings, doorman, desk, twilioDialler } = parts
  const { announcer, clock, log } = parts
  const { languages, publicUrl, twilio } = config
  const numbers = twilio.numbers ?? {}
  return {
    relay: front.admission(switchboard),
    clock,
    log,
    announcer,
    ...(twilioDialler ? { dialler: twilioDialler } : {}),
    invite: parts.numberLimits.within(
      whileStrong(
        { turns: () => doorman.turns() ?? (parts.relay.full ? 'full' : undefined) },
        languages.hears,
        invitationsOf(languages, numbers, desk, log),
      ),
    ),
    departure: () =>
      drain.draining
        ? { elsewhere: drainSettings.newCalls === 'unavailable', askSeconds: drainSettings.askSeconds }
        : undefined,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(twilio.local ? { local: true } : {}),
    ...(twilio.limits ? { limits: twilio.limits } : {}),
    ...(token === undefined
      ? { insecure: true }
      : { authTokens: withOwn(signingTokens(twilio.authTokens, twilio.outbound), token) }),
  }
}

/**
 * The first token stays first, because other instances sign with it. Without any token the result is empty too, so that
 * the missing token is reported.
 */
function withOwn(tokens: readonly string[], own: string): readonly string[] {
  return tokens.length === 0 ? tokens : [...tokens, own]
}

function browser(parts: PluginParts) {
  const { config, relay, front, switchboard, roomCodes, doorman, clock, log } = parts
  const { languages, publicUrl, twilio } = config
  return browserOptions(config.browser, {
    ...{ relay, roomCodes, doorman, languages, publicUrl, clock, log },
    admission: front.admission(switchboard),
    numbers: twilio.numbers ?? {},
    links: front.floor.roomLinks,
    captions: (room, ttlMs) =>
      // Without API keys, nothing that captions need is kept.
      parts.control.keys.length === 0 || front.floor.lives.idOf(room) === undefined
        ? undefined
        : captionPagePath(room, front.floor.links.issue(room, Math.min(ttlMs, LONGEST_LINK_MS)).token),
    discord: config.discord?.token !== undefined,
    dashboard: '/dashboard',
    service: parts.service,
    words: statusWords,
    groupOf: front.floor.groupOf,
  })
}

function discordBot(parts: PluginParts) {
  const { config, relay, announcer, dialler, roomCodes, preferences, clock, log, front, desk } = parts
  const { url, apiKey } = parts.service
  const numbers = config.twilio.numbers ?? {}
  return discordOptions(config.discord, {
    ...{ relay, announcer, dialler, roomCodes, preferences, clock, log },
    admission: front.admission(relay),
    guesses: desk.guesses,
    running: parts.discordChannels,
    wallClock: systemWallClock,
    service: { url, apiKey },
    phoneNumbers: Object.keys(numbers).filter(number => numbers[number]?.roomCode),
  })
}
