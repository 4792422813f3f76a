import type { FastifyInstance } from 'fastify'
import type { DiscordBridge } from '../bridges/discord/discord-bridge.ts'
import { NumberQuota } from '../bridges/telephony/call-policy.ts'
import type { NumberRouterOptions } from '../bridges/telephony/number-routing.ts'
import { RememberedLanguages } from '../bridges/telephony/remembered-languages.ts'
import { type Clock, systemClock } from '../common/clock.ts'
import { type Logger, noopLogger } from '../common/log.ts'
import { systemWallClock } from '../common/wall-clock.ts'
import { Attendant } from '../core/calls/attendant.ts'
import { AdmissionControlledDialer, ObservedDialer } from '../core/calls/dialer-policies.ts'
import { RoomCodeLimiter } from '../core/calls/room-code-limiter.ts'
import { RoomCodes } from '../core/calls/room-codes.ts'
import { attendantOptions, drainSettingsSchema } from '../core/calls/settings.ts'
import { Switchboard } from '../core/calls/switchboard.ts'
import type { Announcer } from '../core/model/announcer.ts'
import type { Dialer } from '../core/model/dialer.ts'
import type { Recorder } from '../core/model/recording.ts'
import { relayOptions } from '../core/model/relay-settings.ts'
import { Relay } from '../core/room/relay.ts'
import type { Translator } from '../core/translation/translator.ts'
import { DiskRecorder } from '../media/recording/disk-recorder.ts'
import { recordingSettingsSchema } from '../media/recording/settings.ts'
import { AddressGroups } from '../net/client-address.ts'
import { Overload } from '../net/overload.ts'
import type { RequestGuard } from '../net/request-guard.ts'
import { limitSettingsSchema } from '../net/settings.ts'
import { ServiceProcess } from '../service/server/process/service-process.ts'
import type { ServiceConfig } from '../service/server/settings.ts'
import { tracingSettingsSchema } from '../tracing/settings.ts'
import { openControlContext } from '../web/control/open-context.ts'
import { controlSettingsSchema } from '../web/control/settings.ts'
import { transcriptSettingsSchema } from '../web/transcripts/settings.ts'
import { webhookSettingsSchema } from '../web/webhooks/settings.ts'
import type { AppConfig } from './app-config.ts'
import { openChannels, openPreferences } from './bridges.ts'
import { openUsageFile } from './call-usage-file.ts'
import { numbersOf, openCarriers } from './carriers.ts'
import { Drain } from './drain.ts'
import { startTracing } from './observability.ts'
import { registerPlugins } from './plugins.ts'
import { openServer } from './server.ts'
import { openAnnouncer, openTranslators } from './service.ts'

export type { AppConfig }

/** Replaces parts of the app, for tests and embedding programs. */
export interface AppOptions {
  readonly clock?: Clock
  readonly log?: Logger
  readonly translator?: Translator
  /** The caller keeps ownership. */
  readonly announcer?: Announcer
  /** Share of its memory that this process uses; default: measured. */
  readonly memoryShare?: () => number
}

/** The bridge server with everything it owns. */
export interface App extends AsyncDisposable {
  readonly server: FastifyInstance
  readonly relay: Relay
  /** Speaks the notices; its files from the settings are read once. */
  readonly announcer: Announcer
  /** Admits legs and connects calls. */
  readonly switchboard: Switchboard
  /** Places calls; absent if outbound calls are disabled. */
  readonly dialer: Dialer | undefined
  /** Codes of rooms, including those from the settings. */
  readonly roomCodes: RoomCodes
  /** Records conversations, as far as the settings allow. */
  readonly recorder: Recorder
  /** Limits requests before routes see them. */
  readonly requestGuard: RequestGuard
  /** Detects overload. */
  readonly overload: Overload
  /** Usage limits of each number. */
  readonly numberLimits: NumberQuota
  /** The Discord bot, if a token is set. */
  readonly discord: DiscordBridge | undefined
  /** The embedded service, if enabled. */
  readonly service: ServiceProcess | undefined
  /** Starts listening; resolves to the local address. */
  listen(): Promise<string>
  /** State of the shutdown; `hurry` ends the waiting of `leave`. */
  readonly drain: Drain
  /**
   * Rejects new calls, leaves Discord, and resolves when no call remains or, at the deadline, the remaining ones were
   * handed over. Close the app afterwards. Idempotent.
   */
  leave(): Promise<void>
  /** Stops admitting, ends every call, then the service. Idempotent. */
  close(): Promise<void>
}

/** Assembles the app without listening. Throws `BridgeError` `CONFIG` for settings that cannot work. */
export async function buildApp(config: AppConfig, parts: AppOptions = {}): Promise<App> {
  const { clock = systemClock, log = noopLogger } = parts
  // First, so that invalid settings leave no process running.
  const options = relayOptions(config.relay)
  const attended = attendantOptions(config.attendant)
  const limits = limitSettingsSchema.parse(config.limits ?? {})
  const drainSettings = drainSettingsSchema.parse(config.drain ?? {})
  const tracingSettings = tracingSettingsSchema.parse(config.tracing ?? {})
  const control = controlSettingsSchema.parse(config.control ?? {})
  const webhooks = (config.webhooks ?? []).map(each => webhookSettingsSchema.parse(each))
  const kept = transcriptSettingsSchema.parse(config.transcripts ?? {})
  const external = parts.translator !== undefined || config.service.url !== undefined
  const key = config.service.apiKey ?? randomKey()
  const url = () => config.service.url ?? service?.url ?? ''
  // Before the service, for the same reason.
  const { calls = {} } = config
  const numbers = numbersOf(config)
  const usageFile = openUsageFile(config.twilio, { clock, wallClock: systemWallClock, log })
  const carriers = openCarriers(config, { clock, log, ledger: usageFile })
  const carrierBridges = () => carriers.flatMap(({ bridge }) => bridge(server) ?? [])
  const remembered =
    calls.callerLanguages &&
    new RememberedLanguages(calls.callerLanguages, { clock, wallClock: systemWallClock, log })
  const preferences = openPreferences(config.discord, { clock, log })
  const discordChannels = openChannels(config.discord, { wallClock: systemWallClock, log })
  const announcer: Announcer & Partial<Disposable> =
    parts.announcer ?? (await openAnnouncer({ settings: config.sounds, url, apiKey: key, clock, log }))
  const service = external ? undefined : await ServiceProcess.start(embeddedConfig(config, key), { log })
  const services = parts.translator
    ? { translator: parts.translator }
    : openTranslators(config.service, { url: config.service.url ?? url, apiKey: key, clock })
  const relay = new Relay({ ...services, options, clock, log })
  const dialRateLimit = carriers.find(({ limitedDialer }) => limitedDialer)?.limitedDialer
  const dialer = dialRateLimit && new ObservedDialer(dialRateLimit, relay.observer)
  const { maxMinutes, maxRooms = options.maxLegs } = calls
  const language = config.languages.hears
  const switchboard = new Switchboard({
    relay,
    announcer,
    dialer,
    clock,
    log,
    maxMinutes,
    maxRooms,
    language,
  })
  const roomCodes = new RoomCodes(clock, { fixed: calls.roomCodes })
  const guesses = new RoomCodeLimiter(clock)
  const desk: NumberRouterOptions = {
    roomOf: code => roomCodes.find(code),
    guesses,
    remembered,
  }
  const recorder = new DiskRecorder({
    relay,
    announcer,
    options: recordingSettingsSchema.parse(config.recording ?? {}),
    clock,
    wallClock: systemWallClock,
    log,
    language,
  })
  const about = { relay, announcer, recorder, clock, log, language, maxMinutes }
  const attendant = new Attendant({ ...about, options: attended })
  const overload = new Overload({ limits, clock, log, memoryShare: parts.memoryShare })
  const drain = new Drain({
    settings: drainSettings,
    clock,
    log,
    calls: () => carrierBridges().reduce((sum, { expected }) => sum + expected, relay.rooms.size),
  })
  const numberLimits = new NumberQuota({
    numbers,
    isInProgress: callId => carrierBridges().some(bridge => bridge.isInProgress(callId)),
    ...{ language, clock, wallClock: systemWallClock, ledger: usageFile },
  })
  const admissionControl = { rejection: () => drain.rejection() ?? overload.rejection() }
  const neighbours = new AddressGroups([...(config.trustProxy ?? []), ...limits.exemptAddresses])
  const front = await openControlContext({
    relay,
    codes: roomCodes,
    announcer,
    dialer: dialer && new AdmissionControlledDialer(dialer, admissionControl),
    recorder: config.recording?.mode === undefined || config.recording.mode === 'off' ? undefined : recorder,
    closed: control.keys.length === 0,
    transcripts: kept,
    readers: control,
    groupOf: address => neighbours.groupOf(address),
    webhooks,
    clock,
    wall: systemWallClock,
    log,
  }).catch(async error => {
    overload[Symbol.dispose]()
    await relay.close()
    await service?.close()
    throw error
  })
  const tracing = await startTracing(tracingSettings, { observer: relay.observer, clock, log })
  const { server, requestGuard } = openServer({ limits, trustProxy: config.trustProxy ?? [], clock, log })
  let closing: Promise<void> | undefined
  let leaving: Promise<void> | undefined
  const leave = async () => {
    const drained = drain.begin()
    // A bot can be active only once: the next server may take it over.
    await Promise.all([drained, app.discord?.close()])
    await Promise.all(carrierBridges().map(bridge => bridge.handOver()))
  }
  const close = async () => {
    overload[Symbol.dispose]()
    numberLimits[Symbol.dispose]()
    drain[Symbol.dispose]()
    // Farewells are sent before the room is empty.
    await app.discord?.close()
    await relay.close()
    attendant[Symbol.dispose]()
    await recorder[Symbol.asyncDispose]()
    await front[Symbol.asyncDispose]()
    await tracing?.[Symbol.asyncDispose]()
    await server.close()
    await usageFile?.[Symbol.asyncDispose]()
    await remembered?.[Symbol.asyncDispose]()
    await preferences?.[Symbol.asyncDispose]()
    await discordChannels?.[Symbol.asyncDispose]()
    await service?.close()
    if (!parts.announcer) announcer[Symbol.dispose]?.()
  }
  const app: App = {
    server,
    relay,
    announcer,
    switchboard,
    dialer,
    roomCodes,
    recorder,
    requestGuard,
    overload,
    numberLimits,
    drain,
    get discord() {
      return server.hasDecorator('discord') ? server.discord : undefined
    },
    service,
    listen: () => server.listen({ host: config.host, port: config.port }),
    leave: () => (leaving ??= leave()),
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => app.close(),
  }
  try {
    await relay.ready()
    await registerPlugins(server, {
      ...{ config, relay, announcer, dialer, roomCodes, preferences, discordChannels, clock, log },
      ...{ requestGuard, overload, numberLimits, drain, admissionControl, drainSettings },
      ...{ front, switchboard, desk, control, carriers },
      ...{ dialRateLimit, guesses, traces: tracing?.counters, recordings: recorder.stats },
      service: { url, apiKey: key, running: () => service?.running !== false, embedded: () => service },
    })
    await server.ready()
  } catch (error) {
    await app.close()
    throw error
  }
  return app
}

/** The embedded service accepts the bridge and clients with a key. */
function embeddedConfig({ embedded }: AppConfig, key: string): ServiceConfig {
  const settings = structuredClone(embedded ?? {}) as ServiceConfig
  return { ...settings, open: false, apiKeys: [...(settings.apiKeys ?? []), { name: 'bridge', key }] }
}

function randomKey(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url')
}
