import { randomBytes, randomUUID } from 'node:crypto'
import formbody from '@fastify/formbody'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import { type Clock, systemClock } from '../../common/clock.ts'
import { withDefaults } from '../../common/defaults.ts'
import { BridgeError } from '../../common/errors.ts'
import { errorFields, type Logger, shareLog } from '../../common/log.ts'
import { sameSecret } from '../../common/secrets.ts'
import { callable, having } from '../../common/setting-fields.ts'
import { systemWallClock } from '../../common/wall-clock.ts'
import type { Announcer } from '../../core/model/announcer.ts'
import type { Admission } from '../../core/model/invitation.ts'
import { assertFree, bridgeName, mountPath } from '../../net/host-plugin.ts'
import { onlyDescribe, routeSchema } from '../../net/openapi.ts'
import { markAuthenticated } from '../../net/request-guard.ts'
import { StateFile } from '../../storage/database.ts'
import { StateTables } from '../../storage/state-tables.ts'
import { socketRoutes } from '../websocket/socket-routes.ts'
import { CallReception, type CallReceptionOptions } from './call-reception.ts'
import { CallRegistry } from './call-registry.ts'
import type { Carrier, RequestVerifier } from './carrier.ts'
import { DialWebhooks, type WebhookName, Webhooks, webhookWords } from './carrier-routes.ts'
import { LocalOnlyVerifier } from './credentials.ts'
import { type CarrierFleet, FleetCalls } from './fleet-calls.ts'
import { CallHistory, type CallStore } from './history/call-history.ts'
import { CallRecords } from './history/call-records.ts'
import type { Decision, DrainState, IncomingCall, Spoken } from './incoming-call.ts'
import { DEFAULT_LIMITS, type StreamLimits, streamLimitsSchema } from './limits.ts'
import { MediaStreams } from './media-streams.ts'
import { Menu, Prompts } from './menu.ts'
import type { CarrierDialer } from './outbound/carrier-dialer.ts'
import { PublicUrl } from './public-url.ts'
import { CALLEE_FIELD, passOf } from './resumption.ts'
import { StreamTokens } from './stream-tokens.ts'

/** Options of the bridge to any carrier. The caller keeps ownership of all objects. */
export interface CarrierBridgeOptions {
  /** Admits the legs. */
  readonly relay: Admission
  /**
   * Public address such as `https://bridge.example.com`, configured at the carrier and covered by its signatures.
   * Optional only with `insecure` or `local`; the listening address is used then.
   */
  readonly publicUrl?: string
  /** Accepts unsigned requests from this machine only, for demonstrations and tests. */
  readonly insecure?: boolean
  /**
   * Accepts signed requests for the loopback listening address, without `publicUrl`. For a bridge without an account.
   */
  readonly local?: boolean
  /**
   * Decides on each new call: its room and languages, or a question to the caller by menu. The carrier waits for it. If it
   * throws, or has no valid decision within ten seconds, the log has the reason, and the caller hears the apology.
   */
  readonly invite: (call: IncomingCall) => Decision | Promise<Decision>
  /** Speaks menus and notices; required for questions. */
  readonly announcer?: Announcer
  /** Places outbound calls; the bridge handles their webhooks and closes the dialer. */
  readonly dialer?: CarrierDialer
  /** Set while the server is shutting down: calls known only to another server are redirected. */
  readonly departure?: () => DrainState | undefined
  /** Set if this server is a node of a fleet. */
  readonly fleet?: CarrierFleet
  /** Remembers calls over a restart, so that a captured request is not accepted again. Default: in memory. */
  readonly callStore?: CallStore
  readonly clock?: Clock
  /** Default: `app.log`. The relay, the announcer and the dialer use it too, unless they have their own. */
  readonly log?: Logger
  /** Prefix of all routes and of the addresses passed to the carrier, after the prefix of an enclosing scope. */
  readonly prefix?: string
  /** Path of the routes after all prefixes; default `/` and the name of the carrier. */
  readonly path?: string
  /** Spoken when a call cannot be translated. */
  readonly apology?: Spoken
  readonly limits?: Partial<StreamLimits>
}

/**
 * Fields that validate these options when a plugin is registered. Combinations and addresses are checked where they
 * are used.
 */
export const carrierBridgeFields = {
  relay: having('the relay or policy that admits legs', 'admit'),
  publicUrl: z.string('the https:// address that the carrier calls').optional(),
  insecure: z.boolean('true or false').optional(),
  local: z.boolean('true or false').optional(),
  invite: callable('it decides on each new call'),
  announcer: having('the announcer of menus and notices', 'notice').optional(),
  dialer: having('the dialer for outbound calls', 'dial', 'attach').optional(),
  departure: callable('it returns the state of a shutdown').optional(),
  fleet: z
    .object({
      homes: having('the homes of rooms', 'enter', 'holds', 'onLost'),
      exchange: having('messages between nodes', 'ask', 'answer', 'tell', 'hear'),
      changed: callable('it returns the invitation of a call that continues').optional(),
      nodeUrl: z.string('the https:// address of this node').optional(),
    })
    .optional(),
  callStore: having('a store of calls', 'find', 'note', 'wallClock').optional(),
  clock: having('a clock', 'now').optional(),
  log: having('a log', 'debug', 'info', 'warn', 'error').optional(),
  prefix: z.string('a path such as /calls').optional(),
  path: z.string('a path such as /twilio').optional(),
  apology: z.object({ text: z.string('words to speak') }, 'an object with text').optional(),
  limits: streamLimitsSchema.optional(),
} satisfies Record<keyof CarrierBridgeOptions, z.ZodType>

/** State of a bridge, as a plugin decorates the app with it. */
export type CarrierBridge = Pick<
  MediaStreams,
  | 'carrier'
  | 'legs'
  | 'refused'
  | 'counters'
  | 'replaced'
  | 'deferred'
  | 'expected'
  | 'isInProgress'
  | 'handOver'
  | 'isExpectedIn'
  | 'releaseRooms'
>

const MAX_BODY = 65_536

/**
 * Connects a carrier’s media streams as legs of the relay: the webhooks `voice`, `menu`, `resume`, `status` and
 * `dial/…`, and the socket `media`, all under `path`. Throws `BridgeError` `CONFIG` without a way to verify requests.
 */
export async function registerCarrier(
  app: FastifyInstance,
  carrier: Carrier,
  options: CarrierBridgeOptions,
): Promise<CarrierBridge> {
  const {
    clock = systemClock,
    log = app.log,
    path = `/${carrier.name}`,
    prefix = '',
    dialer,
    relay,
  } = options
  shareLog(log, options.relay, options.announcer, dialer)
  const publicUrl = publicUrlOf(app, carrier, options)
  const verifier = options.insecure ? new LocalOnlyVerifier() : carrier.verifier(publicUrl)
  if (options.insecure) log.warn({}, 'INSECURE: accepting unverified requests from this machine only')
  /** Path of the routes, below the public address. */
  const mount = mountPath(app.prefix, prefix, path)
  assertFree(app, 'POST', `${mount}/voice`, carrier.name)
  const name = bridgeName(carrier.name, app.server, relay)
  const address = (inside: string) => publicUrl().http(`${mount}/${inside}`)
  const limits = withDefaults(DEFAULT_LIMITS, options.limits)
  const history = new CallHistory(carrier.name, options.callStore ?? memoryStore(app, log))
  const calls = new CallRegistry(clock, limits, callId => history.ended(callId))
  const tokens = new StreamTokens(clock, limits.tokenTtlMs)
  const { instructions, media } = carrier
  const nodeUrl = nodeUrlOf(options, publicUrl)
  const { announcer, invite, apology, departure = () => undefined } = options
  const keys = carrier.secrets.length > 0 ? carrier.secrets : [randomUUID()]
  const prompts = announcer && new Prompts({ announcer, keys, url: name => address(`menu/sound/${name}`) })
  const menu = prompts && new Menu(instructions, prompts, query => address(`menu?${query}`))
  const fleetCalls = new FleetCalls(carrier.name, options.fleet)
  const streamPath = carrier.secretStreams ? `media/${randomBytes(24).toString('base64url')}` : 'media'
  const receptionOptions: CallReceptionOptions = {
    ...{ calls, history, tokens, publicUrl, nodeUrl, mount, streamPath, limits, log, menu, departure },
    ...{ instructions, invite, apology, clock, now: () => clock.now(), wallClock: systemWallClock },
    enter: call => fleetCalls.enter(call),
    changed: options.fleet?.changed,
    overElsewhere: callId => fleetCalls.over(callId),
  }
  const streams = new MediaStreams({
    ...{ carrier: carrier.name, media, relay, calls, history, tokens, clock, log, limits },
    ids: options.fleet ? `${name}-${options.fleet.node}` : name,
    continues: dialer && ((callId: string) => dialer.continues(callId)),
    handOverDials: rooms => dialer?.handOver(rooms),
  })
  dialer?.attach({
    url: (name, id, invitation) => {
      const query = new URLSearchParams({ dial: id })
      // Another node admits the participant if this one ends while the phone rings.
      if (options.fleet && name === 'answer') query.set(CALLEE_FIELD, passOf(invitation))
      return nodeUrl().http(`${mount}/dial/${name}?${query}`)
    },
    release: callId => calls.get(callId)?.end(clock.now()),
  })
  let listener: AsyncDisposable | undefined
  app.addHook('onReady', async () => {
    listener = await carrier.listen?.(connection => streams.accept(connection), log)
  })
  const lost = options.fleet?.homes.onLost(rooms => void streams.releaseRooms(rooms))
  app.addHook('preClose', async () => {
    fleetCalls[Symbol.dispose]()
    lost?.[Symbol.dispose]()
    await Promise.all([streams.close(), dialer?.close()])
    await listener?.[Symbol.asyncDispose]()
  })
  const routes = { carrier, path, mount, streamPath, verifier, log, prompts, streams }
  // In a separate scope, so that the body parser applies only to these routes.
  await app.register(
    async scope => {
      await parseBodies(scope, carrier, log)
      webhookRoutes(scope, routes, handlersOf(carrier, receptionOptions, { dialer, fleetCalls }))
      await mediaRoutes(scope, routes)
    },
    { prefix },
  )
  return streams
}

/** A store for the life of `app`. */
function memoryStore(app: FastifyInstance, log: Logger): CallStore {
  const state = StateFile.open(undefined, log)
  app.addHook('onClose', async () => state[Symbol.dispose]())
  return new CallRecords(new StateTables(state, systemWallClock), systemWallClock)
}

interface Routes {
  readonly carrier: Carrier
  readonly path: string
  readonly mount: string
  readonly streamPath: string
  readonly verifier: RequestVerifier
  readonly log: Logger
  readonly prompts: Prompts | undefined
  readonly streams: MediaStreams
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>

function handlersOf(
  carrier: Carrier,
  options: CallReceptionOptions,
  { dialer, fleetCalls }: { dialer: CarrierDialer | undefined; fleetCalls: FleetCalls },
): Readonly<Record<WebhookName, Handler>> {
  const reception = new CallReception(options)
  const webhooks = new Webhooks(reception, carrier.requests, options)
  const dials = new DialWebhooks(dialer, reception, webhooks)
  fleetCalls.start({
    known: call => webhooks.known(call),
    admit: call => dials.admit(call),
    over: callId => void webhooks.over(callId, 'remote'),
  })
  return {
    voice: (request, reply) => webhooks.voice(request, reply),
    resume: (request, reply) => webhooks.resume(request, reply),
    status: (request, reply) => webhooks.status(request, reply),
    menu: (request, reply) => webhooks.menu(request, reply),
    'dial/answer': (request, reply) => dials.answer(request, reply),
    'dial/status': (request, reply) => dials.status(request, reply),
    'dial/machine': (request, reply) => dials.machine(request, reply),
  }
}

async function parseBodies(scope: FastifyInstance, { requests }: Carrier, log: Logger): Promise<void> {
  onlyDescribe(scope)
  scope.removeAllContentTypeParsers()
  scope.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500
    if (status >= 500)
      log.error({ route: request.routeOptions.url, status, ...errorFields(error) }, 'request failed')
    else
      log.warn({ route: request.routeOptions.url, status, code: error.code }, 'request rejected: malformed')
    return reply.code(status).send()
  })
  if (requests.contentType === 'application/x-www-form-urlencoded' && !requests.raw)
    await scope.register(formbody, { bodyLimit: MAX_BODY })
  else
    scope.addContentTypeParser(
      requests.contentType,
      { parseAs: 'string', bodyLimit: MAX_BODY },
      async (_request: FastifyRequest, body: string) => body,
    )
}

function webhookRoutes(
  scope: FastifyInstance,
  { carrier, path, verifier, log, prompts }: Routes,
  handlers: Readonly<Record<WebhookName, Handler>>,
): void {
  const preValidation = async (request: FastifyRequest, reply: FastifyReply) =>
    verifier.webhook(request) ? markAuthenticated(request.raw) : refuse(log, request, reply)
  const words = webhookWords(carrier)
  for (const [name, handle] of Object.entries(handlers))
    scope.post(
      `${path}/${name}`,
      {
        preValidation,
        config: { proof: 'headers' },
        bodyLimit: MAX_BODY,
        schema: routeSchema(words[name as WebhookName]),
      },
      handle,
    )
  if (!prompts) return
  const sound = { tag: carrier.name, summary: 'Audio of a menu prompt.', answers: 'audio/wav' }
  scope.get(
    `${path}/menu/sound/:signature/:notice/:language.wav`,
    { config: { proof: 'later' }, schema: routeSchema(sound) },
    (request, reply) => prompts.serve(request, reply),
  )
}

async function mediaRoutes(
  scope: FastifyInstance,
  { carrier, path, mount, streamPath, verifier, log, streams }: Routes,
): Promise<void> {
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) =>
    verifier.upgrade(request, pathAsSent(request, mount))
      ? markAuthenticated(request.raw)
      : refuse(log, request, reply)
  const keyed = async (request: FastifyRequest, reply: FastifyReply) =>
    sameSecret(`media/${(request.params as { key: string }).key}`, streamPath)
      ? await onRequest(request, reply)
      : refuse(log, request, reply)
  const refuseAll = async (request: FastifyRequest, reply: FastifyReply) => refuse(log, request, reply)
  const accept = (socket: WebSocket) => streams.accept(socket)
  const open = carrier.secretStreams ? refuseAll : onRequest
  const routes = [`${path}/media`, `${path}/media/`].map(url => ({ url, onRequest: open, accept }))
  // A parameter, since logs and metrics have the path of the route.
  if (carrier.secretStreams) routes.push({ url: `${path}/media/:key`, onRequest: keyed, accept })
  await socketRoutes(scope, routes)
}

/**
 * Returns the path of a stream as sent to the carrier: with the path of a node, which the server has removed from the
 * address of the request.
 */
function pathAsSent({ originalUrl, url }: FastifyRequest, mount: string): string {
  const removed = originalUrl.endsWith(url) ? originalUrl.slice(0, -url.length) : ''
  return `${removed}${mount}/media`
}

function refuse(log: Logger, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  log.warn({ route: request.routeOptions.url }, 'request rejected: invalid signature')
  return reply.code(403).send()
}

function nodeUrlOf(
  { fleet, insecure = false }: CarrierBridgeOptions,
  publicUrl: () => PublicUrl,
): () => PublicUrl {
  if (fleet?.nodeUrl === undefined) return publicUrl
  const own = new PublicUrl(fleet.nodeUrl, { allowHttp: insecure })
  return () => own
}

function publicUrlOf(
  app: FastifyInstance,
  { title }: Carrier,
  { publicUrl, insecure = false, local = false }: CarrierBridgeOptions,
): () => PublicUrl {
  if (publicUrl !== undefined) {
    const fixed = new PublicUrl(publicUrl, { allowHttp: insecure })
    return () => fixed
  }
  if (!insecure && !local)
    throw new BridgeError(
      'CONFIG',
      `the ${title} bridge needs publicUrl: the https:// address that ${title} calls`,
    )
  return () => {
    const address = app.server.address()
    const port = typeof address === 'object' && address ? address.port : 80
    return new PublicUrl(`http://127.0.0.1:${port}`, { allowHttp: true })
  }
}
