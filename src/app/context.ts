import type { FastifyInstance } from 'fastify'
import { browserSettingsSchema } from '../bridges/browser/index.ts'
import type { StreamLimits } from '../bridges/phone/limits.ts'
import { type Clock, systemClock } from '../common/clock.ts'
import { type Logger, noopLogger } from '../common/log.ts'
import { assertInstalled } from '../common/optional-package.ts'
import { version } from '../common/version.ts'
import { systemWallClock } from '../common/wall-clock.ts'
import { OverloadProtectedDialer } from '../core/calls/dialer-policies.ts'
import type { RoomHomes } from '../core/calls/room-homes.ts'
import type { Announcer } from '../core/model/announcer.ts'
import type { Observer } from '../core/model/events.ts'
import type { Fleet } from '../core/model/fleet.ts'
import type { Translator } from '../core/translation/translator.ts'
import { AddressGroups } from '../net/client-address.ts'
import type { RequestGuard } from '../net/request-guard.ts'
import { connectionsFor } from '../net/server-limits.ts'
import { StateFile } from '../storage/database.ts'
import { StateTables } from '../storage/state-tables.ts'
import { type OpenControl, openControlContext } from '../web/control/open-context.ts'
import { type Calls, openCalls } from './calls.ts'
import { type OpenCarrier, openCarriers } from './carriers.ts'
import { openFleet, openHomes } from './fleet.ts'
import { GracefulClose } from './graceful-close.ts'
import { type Guards, openGuards } from './guards.ts'
import { BRIDGE_LIMITS, type BridgeLimits, openServer } from './server.ts'
import { openAnnouncer, openTranslators } from './service.ts'
import { type AppConfig, type AppSettings, appSettings } from './settings/app-settings.ts'
import { openStores, type Stores } from './stores.ts'
import { TraceCounters } from './tracing/counters.ts'
import type { TracingSettings } from './tracing/settings.ts'
import { TranslationService } from './translation-service.ts'

/** Replaces parts of the app, for tests and embedding programs. */
export interface AppOptions {
  readonly clock?: Clock
  readonly log?: Logger
  readonly translator?: Translator
  /** The caller keeps ownership. */
  readonly announcer?: Announcer
  /** The nodes that act as one service. The caller keeps ownership; default: this process alone. */
  readonly fleet?: Fleet
  /** Share of its memory that this process uses; default: measured. */
  readonly memoryShare?: () => number
  /**
   * The auth tokens of the configuration are not those of an account, but of this server: requests from this machine are
   * accepted without `publicUrl`.
   */
  readonly ownAuthTokens?: boolean
  /** Overrides limits of the server, which have no setting. */
  readonly serverLimits?: Partial<BridgeLimits>
  /** Overrides the limits of media streams, which have no setting. */
  readonly streamLimits?: Partial<StreamLimits>
}

/** The parts of the app. Its plugins use it; the app keeps ownership. */
export interface AppContext {
  readonly settings: AppSettings
  readonly fleet: Fleet
  readonly service: TranslationService
  readonly stores: Stores
  readonly carriers: readonly OpenCarrier[]
  readonly limits: BridgeLimits
  readonly server: FastifyInstance
  /** Limits requests before routes see them. */
  readonly requestGuard: RequestGuard
  /** Ends the server without cutting requests short. */
  readonly ending: GracefulClose
  readonly calls: Calls
  readonly guards: Guards
  /** Homes of the rooms. */
  readonly homes: RoomHomes
  /** Undefined: tracing is off. */
  readonly traces: TraceCounters | undefined
  readonly control: OpenControl
  readonly clock: Clock
  readonly log: Logger
}

/**
 * Opens everything except the process of an embedded service, which `service.start` starts, and adds it to `stack`. The
 * server has no routes yet. Throws `BridgeError` `CONFIG` for settings that cannot work.
 */
export async function openContext(
  config: AppConfig,
  options: AppOptions,
  stack: AsyncDisposableStack,
): Promise<AppContext> {
  const { clock = systemClock, log = noopLogger, translator, memoryShare } = options
  const { ownAuthTokens, streamLimits } = options
  const settings = appSettings(config)
  // Before everything that uses it, so that it is closed last.
  const alone = options.fleet ? options.fleet.status === 'alone' : settings.fleet?.nats === undefined
  const state = alone ? stack.use(StateFile.open(settings.stateFile, log)) : undefined
  const tables = state && new StateTables(state, systemWallClock)
  const fleet = options.fleet ?? stack.use(await openFleet(settings.fleet, { tables, clock, log }))
  const service = stack.use(
    new TranslationService({ settings, translatorGiven: translator !== undefined, log }),
  )
  const { url, apiKey } = service
  const announcer =
    options.announcer ??
    (await openAnnouncer({
      ...{ settings: settings.sounds, url, apiKey, clock, log },
      socketPath: settings.service.socketPath,
    }))
  const stores = stack.use(openStores(settings, { fleet, state, clock, log }))
  const carriers = await openCarriers(settings, {
    ownAuthTokens,
    streamLimits,
    clock,
    log,
    ledger: stores.usage,
    fleet,
  })
  const { trustProxy } = settings
  const { maxListeners } = browserSettingsSchema.parse(settings.browser ?? {})
  // One full room of listeners has places beside all calls.
  const maxConnections = connectionsFor(settings.relay.maxLegs) + maxListeners
  const limits = { ...BRIDGE_LIMITS, maxConnections, ...options.serverLimits }
  const { server, requestGuard } = openServer({
    limits: { ...settings.limits, ...limits },
    trustProxy,
    nodePaths: fleet.status !== 'alone',
    clock,
    log,
  })
  stack.defer(() => server.close())
  const ending = new GracefulClose(server, clock)
  ending.start()
  const translators = translator
    ? { translator }
    : openTranslators(settings.service, { url: settings.service.url ?? url, apiKey, clock })
  const shared = { settings, fleet, carriers, clock, log }
  const calls = stack.use(await openCalls({ ...shared, translators, announcer }))
  const guards = stack.use(openGuards({ ...shared, calls, stores, memoryShare }))
  const homes = stack.use(openHomes({ ...shared, relay: calls.relay, drain: guards.drain }))
  const { observer } = calls.relay
  const tracing = stack.use(await startTracing(settings.tracing, { observer, clock, log }))
  const control = stack.use(await openControl({ ...shared, calls, guards, homes }))
  return {
    ...shared,
    ...{
      service,
      stores,
      limits,
      server,
      requestGuard,
      ending,
      calls,
      guards,
      homes,
      traces: tracing?.counters,
      control,
    },
  }
}

function openControl({
  settings,
  fleet,
  calls,
  guards,
  homes,
  clock,
  log,
}: Pick<
  AppContext,
  'settings' | 'fleet' | 'calls' | 'guards' | 'homes' | 'clock' | 'log'
>): Promise<OpenControl> {
  const { limits, trustProxy, recording, control, transcripts, webhooks } = settings
  const { relay, announcer, roomCodes, dialer, recorder } = calls
  const addresses = new AddressGroups([...trustProxy, ...limits.exemptAddresses])
  return openControlContext({
    relay,
    codes: roomCodes,
    fleet,
    announcer,
    dialer: dialer && new OverloadProtectedDialer(dialer, guards.overloadCheck),
    recorder: recording.mode === 'off' ? undefined : recorder,
    closed: control.keys.length === 0,
    transcripts,
    readersPerLink: control.readersPerLink,
    groupOf: address => addresses.groupOf(address),
    webhooks,
    nodeOf: room => homes.nodeOf(room),
    hasMoved: room => homes.hasMoved(room),
    clock,
    wall: systemWallClock,
    log,
  })
}

interface TracingOptions {
  readonly observer: Observer
  readonly clock: Clock
  readonly log: Logger
}

/** Opens the configured traces with their counters; returns undefined without an address. */
async function startTracing(
  settings: TracingSettings,
  { observer, clock, log }: TracingOptions,
): Promise<(AsyncDisposable & { readonly counters: TraceCounters }) | undefined> {
  if (settings.url === undefined) return undefined
  assertInstalled('tracing')
  // Loaded only when needed.
  const { openTracing } = await import('./tracing/tracing.ts')
  const counters = new TraceCounters()
  const options = { observer, clock, wall: systemWallClock, log, counters, version }
  const tracing = openTracing(settings, settings.url, options)
  return { counters, [Symbol.asyncDispose]: () => tracing[Symbol.asyncDispose]() }
}
