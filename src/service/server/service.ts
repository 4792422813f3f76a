import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { Server } from 'socket.io'
import { type Clock, systemClock } from '../../common/clock.ts'
import { type Logger, limitedLog, noopLogger } from '../../common/log.ts'
import { systemWallClock, type WallClock } from '../../common/wall-clock.ts'
import { isLoopback, reachableUrl, TrustedProxies } from '../../net/client-address.ts'
import { edgeServer } from '../../net/edge-server.ts'
import { guardServer, SECURITY_HEADERS } from '../../net/http-hardening.ts'
import { addOpenApiRoutes } from '../../net/openapi-page.ts'
import { Overload } from '../../net/overload.ts'
import { RequestGuard } from '../../net/request-guard.ts'
import { StateFile } from '../../storage/database.ts'
import type { EngineSet } from '../engines/engine-set.ts'
import { openEngines } from '../engines/open-engines.ts'
import { ThreadUse } from '../engines/thread-budget.ts'
import { EngineUsage } from '../engines/usage/engine-usage.ts'
import { UsageLedger } from '../usage-ledger.ts'
import { Batch } from './batch/batch.ts'
import { LoadMonitor, SessionSlots } from './capacity.ts'
import { ErrorCounts } from './errors.ts'
import {
  addSocketRules,
  answerMalformed,
  httpOptions,
  OriginCheck,
  SocketUpgrades,
} from './http/http-server.ts'
import { serviceApi } from './http/openapi.ts'
import { addRoutes, addStreamRoutes, answerFailed } from './http/routes.ts'
import { ApiKeys } from './keys/api-keys.ts'
import { KeyFile } from './keys/key-store.ts'
import { StoredKeyUsage, UsageSaver } from './keys/key-usage.ts'
import { KeyWatch } from './keys/key-watch.ts'
import { boundSettings, type ServiceLimits } from './limits.ts'
import type { ServiceFigures } from './process/messages.ts'
import { AudioStreams } from './session/audio-stream.ts'
import { ConnectGuard } from './session/namespace-sessions.ts'
import { addNamespaces } from './session/namespaces.ts'
import { RefusalLog } from './session/refusal-log.ts'
import { SocketTracker } from './session/socket-channel.ts'
import { type ServiceConfig, type ServiceSettings, serviceSettings } from './settings.ts'
import { Catalog } from './voice-catalog.ts'

/** Maximum size of a socket message and of an HTTP body other than a file (bytes). */
const MAX_MESSAGE_BYTES = 1024 * 1024
/** Time to send or receive what surrounds an upload and its result (ms). */
const HANDSHAKE_MS = 10_000

/** Replacements for parts of the service, such as engines and clock. */
export interface ServiceOptions {
  readonly clock?: Clock
  readonly wallClock?: WallClock
  readonly log?: Logger
  /** Replaces the installed engines. The service closes them. */
  readonly engines?: EngineSet
  /** Share of its memory limit that this process uses; default: measured. */
  readonly memoryShare?: () => number
  /** Overrides limits, which have no setting. */
  readonly limits?: Partial<ServiceLimits>
}

/** A translation service; it serves requests after `listen`. */
export interface Service {
  readonly app: FastifyInstance
  readonly io: Server
  readonly engines: EngineSet
  readonly batch: Batch
  /** Limits requests before they are authenticated. */
  readonly requestGuard: RequestGuard
  /** Returns the current figures. */
  figures(): ServiceFigures
  /** Settings with defaults applied. */
  readonly settings: ServiceSettings
  /** Starts listening, by default at the configured address. Rejects when the port is in use. */
  listen(at?: { port?: number; host?: string }): Promise<{ port: number; url: string }>
  /** Ends all sessions, then frees the engines. Idempotent. */
  close(): Promise<void>
}

/**
 * Builds the embedded service with the installed engines; it offers only what they support. Rejects with a `RangeError`
 * for invalid settings, with `CONFIG` for an invalid key file or state file.
 */
export async function buildService(config: ServiceConfig, given: ServiceOptions = {}): Promise<Service> {
  const settings = boundSettings(serviceSettings(config), given.limits)
  const { clock = systemClock, wallClock = systemWallClock, log = noopLogger } = given
  const ledger = new UsageLedger(clock, wallClock() - clock.now())
  const keys = new ApiKeys(settings, clock, ledger)
  const watch = await watched(settings, keys, clock, log)
  const usage = kept(settings, ledger, clock, log)
  const threads = new ThreadUse(clock)
  const spending = new EngineUsage({ clock, wallClock, log, ledger })
  const engines =
    given.engines ?? (await openEngines(settings, threads, { clock, wallClock, log, usage: spending }))
  const workload = new LoadMonitor({ clock, admitLagMs: settings.admitLagMs, threads })
  const overload = new Overload({ ...settings, clock, log, memoryShare: given.memoryShare })
  overload.start()
  const admission = new SessionSlots(settings.maxSessions, workload, overload)

  const errors = new ErrorCounts()
  const app = Fastify({
    ...edgeServer(clock),
    bodyLimit: MAX_MESSAGE_BYTES,
    requestTimeout: settings.uploadTimeoutMs + HANDSHAKE_MS,
    // Processing a file can take long before the response starts.
    connectionTimeout: settings.uploadTimeoutMs + settings.batchTimeoutMs + HANDSHAKE_MS,
    keepAliveTimeout: settings.limits.keepAliveTimeoutMs,
    http: httpOptions(settings),
    forceCloseConnections: true,
    trustProxy: settings.trustProxy.length > 0 ? settings.trustProxy : false,
    clientErrorHandler: (error, socket) => answerMalformed(error, socket as Socket),
    frameworkErrors: (error, _request, reply) => answerFailed(error, reply.headers(SECURITY_HEADERS), log),
  })
  const socketLog = limitedLog(log, clock)
  const refusals = new RefusalLog(clock, socketLog)
  const requestGuard = new RequestGuard({
    limits: { ...settings, exemptAddresses: settings.limits.exemptAddresses },
    proxies: settings.trustProxy,
    clock,
    refused: (address, reason) => refusals.note(address, reason),
  })
  guardServer(app, requestGuard)
  const origins = new OriginCheck(settings)
  origins.guard(app)
  const streams = new AudioStreams()
  addStreamRoutes(app, streams)
  addOpenApiRoutes(app, serviceApi(settings))
  const batch = new Batch({ engines, admission, workload, settings, clock, log })
  addRoutes(app, {
    keys,
    watch,
    catalog: new Catalog(engines),
    engines,
    admission,
    workload,
    batch,
    log,
    errors,
  })

  const sockets = new SocketTracker()
  sockets.track(app.server)
  const io = new Server(app.server, {
    serveClient: false,
    wsEngine: SocketUpgrades,
    perMessageDeflate: false,
    httpCompression: false,
    maxHttpBufferSize: MAX_MESSAGE_BYTES,
    ...(settings.allowedOrigins.length > 0 ? { cors: { origin: corsOrigin(settings.allowedOrigins) } } : {}),
  })
  const guard = new ConnectGuard(clock, () =>
    socketLog.warn({}, 'connection closed: limit before joining a namespace exceeded'),
  )
  const proxies = new TrustedProxies(settings.trustProxy)
  addSocketRules(io, { requestGuard, guard, origins, proxies, refusals })
  const shared = { keys, proxies, engines, admission, workload, streams, guard, settings, clock, errors }
  addNamespaces(io, { ...shared, refusals, log: socketLog })
  app.addHook('preClose', () => {
    io.disconnectSockets(true)
    io.engine.close()
    sockets.close()
  })

  let closing: Promise<void> | undefined
  return {
    app,
    io,
    engines,
    batch,
    requestGuard,
    figures: () => figuresOf({ admission, workload, requestGuard, overload, errors, engines, keys }),
    settings,
    async listen({ port = settings.port, host = settings.host } = {}) {
      if (settings.open && !isLoopback(host))
        throw new RangeError(`a service without keys can listen on loopback only, got ${host}`)
      await app.listen({ port, host })
      const address = app.server.address()
      const bound = typeof address === 'object' && address !== null ? address.port : port
      log.info({ host, port: bound }, 'service listening')
      return { port: bound, url: reachableUrl(host, bound) }
    },
    close() {
      watch?.[Symbol.dispose]()
      overload[Symbol.dispose]()
      refusals[Symbol.dispose]()
      closing ??= app
        .close()
        .then(() => engines.close())
        .then(() => usage?.[Symbol.dispose]())
      return closing
    },
  }
}

/** In the form Socket.IO accepts; never derived from a request. */
function corsOrigin(allowed: readonly string[]): string | string[] {
  return allowed.includes('*') ? '*' : [...allowed]
}

/** Loads the keys of the key file and keeps them up to date. */
async function watched(
  { keyFile, open }: ServiceSettings,
  keys: ApiKeys,
  clock: Clock,
  log: Logger,
): Promise<KeyWatch | undefined> {
  if (keyFile === undefined || open) return undefined
  return KeyWatch.start(new KeyFile(keyFile, clock), keys, clock, log)
}

/** Saves the usage of keys in the state file. */
function kept(
  { stateFile, open }: ServiceSettings,
  ledger: UsageLedger,
  clock: Clock,
  log: Logger,
): Disposable | undefined {
  if (stateFile === undefined || open) return undefined
  const stack = new DisposableStack()
  const state = stack.use(StateFile.open(stateFile, log))
  stack.use(new UsageSaver(new StoredKeyUsage(state), ledger, clock))
  return stack
}

function figuresOf({
  admission,
  workload,
  requestGuard,
  overload,
  errors,
  engines,
  keys,
}: {
  admission: SessionSlots
  workload: LoadMonitor
  requestGuard: RequestGuard
  overload: Overload
  errors: ErrorCounts
  engines: EngineSet
  keys: ApiKeys
}): ServiceFigures {
  const { periods, rejected, lateMs, memoryShare, reason } = overload
  const { user, system } = process.cpuUsage()
  return {
    sessions: admission.taken,
    maxSessions: admission.size,
    behindMs: workload.latelyMs,
    busy: workload.busy,
    requestGuard: { ...requestGuard.counters },
    errors: errors.all,
    engines: engines.usage.figures,
    standIns: engines.usage.standIns,
    missing: engines.usage.missing,
    interpretation: { ...engines.usage.interpretation },
    keys: keys.figures,
    overload: { periods, rejected, lateMs, memoryShare, reason },
    memoryBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1e6,
  }
}
