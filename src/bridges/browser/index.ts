import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { type Clock, systemClock } from '../../common/clock.ts'
import { withDefaults } from '../../common/defaults.ts'
import { shareLog } from '../../common/log.ts'
import { RoomLives } from '../../core/calls/room-lifetimes.ts'
import { RoomLinks } from '../../core/calls/room-links.ts'
import { RoomVisits } from '../../core/calls/room-visits.ts'
import { addressPrefix } from '../../net/client-address.ts'
import {
  assertFree,
  bridgeName,
  decorateScope,
  type HostPlugin,
  hostPlugin,
  mountPath,
} from '../../net/host-plugin.ts'
import { onlyDescribe } from '../../net/openapi.ts'
import { markAuthenticated } from '../../net/request-guard.ts'
import { sendError } from '../../pages/error-page.ts'
import { FILES_PATH, pageFiles } from '../../pages/page-files.ts'
import { socketRoutes } from '../websocket/socket-routes.ts'
import { Audiences } from './audience/audiences.ts'
import { LISTEN_PATH, LISTENER_LIMITS, listenPage } from './audience/listen-page.ts'
import { ListenerReception } from './audience/listener-reception.ts'
import { type BrowserLeg, pageSocket } from './browser-leg.ts'
import { OfferCache } from './catalog-cache.ts'
import type { PageSocket } from './close-codes.ts'
import { BridgeCounters, type BrowserLegCounters } from './leg-counters.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import { Lobby } from './lobby.ts'
import { type BrowserBridgeOptions, browserBridgeOptionsSchema } from './options.ts'
import { foreignPage, OriginCheck, unknownHost } from './origin-check.ts'
import { VisitorReception } from './reception.ts'
import { BrowserSessions } from './sessions.ts'
import { browserSettingsSchema } from './settings.ts'
import { TALK_PATH, talkPage } from './talk-page.ts'

export type { CodeGuess, CodeLimiter } from '../../core/calls/code-attempts.ts'
export type { RoomLinks } from '../../core/calls/room-links.ts'
export type { RoomVisits } from '../../core/calls/room-visits.ts'
export type { HostPlugin } from '../../net/host-plugin.ts'
export type { BrowserLeg } from './browser-leg.ts'
export { CLOSE_CODES, type CloseCause } from './close-codes.ts'
export { BridgeCounters, BrowserLegCounters } from './leg-counters.ts'
export { type BrowserLimits, DEFAULT_LIMITS } from './limits.ts'
export type { BrowserBridgeOptions, Guest, RoomLocator, VisitDecision } from './options.ts'
export type { JoinRefusal, VisitEnd } from './protocol.ts'
export type { CatalogLanguage, CatalogVoice, ServiceCatalog } from './service-catalog.ts'
export { type BrowserSettings, browserSettingsSchema } from './settings.ts'

/** State of the bridge, as `app.browser`. */
export interface BrowserBridge {
  /** Current connections. */
  readonly legs: ReadonlySet<BrowserLeg>
  /** Number of current sessions, including those whose page is reconnecting. */
  readonly sessions: number
  /** Totals of all legs, ended and current. */
  legCounters(): BrowserLegCounters
  readonly counters: BridgeCounters
  readonly links: RoomLinks
  /** Links for listening. */
  readonly listenLinks: RoomLinks
  /** Number of people who listen by them. */
  readonly listeners: number
  /** Ends the sessions in `rooms`, whose home is another node of the fleet now: their pages follow. */
  releaseRooms(rooms: ReadonlySet<string>): void
}

/** Modules that the pages share with the server: paths below `src`. */
export const SHARED_FILES = ['bridges/browser/audio-packet', 'bridges/browser/audience/audience-packet']

declare module 'fastify' {
  interface FastifyInstance {
    /** Available once the browser bridge is registered. */
    browser: BrowserBridge
  }
}

async function register(app: FastifyInstance, options: BrowserBridgeOptions): Promise<void> {
  const { clock = systemClock, log = app.log, relay, prefix = '' } = options
  shareLog(log, relay, options.admission)
  const mount = mountPath(app.prefix, prefix)
  /** Public path of the page. */
  const page = mountPath(app.prefix, prefix, options.path ?? TALK_PATH) || '/'
  assertFree(app, 'GET', page, 'browser')
  const name = bridgeName('browser', app.server, relay)
  const limits = withDefaults(DEFAULT_LIMITS, options.limits)
  const settings = browserSettingsSchema.parse(options.settings ?? {})
  const originCheck = new OriginCheck({ publicUrl: options.publicUrl, origins: settings.origins })
  const counters = new BridgeCounters()
  const links = options.links ?? new RoomLinks(clock)
  const visits = options.visits ?? new RoomVisits(clock)
  const listenLinks = options.listenLinks ?? new RoomLinks(clock, undefined, 'listen links')
  const own = [
    ...(options.links ? [] : [links]),
    ...(options.visits ? [] : [visits]),
    ...(options.listenLinks ? [] : [listenLinks]),
  ]
  const ending = own.length === 0 ? undefined : revokeWithRooms(own, relay, clock)
  const sessions = new BrowserSessions({ relay, visits, clock, log, maxMs: settings.maxMinutes * 60_000 })
  sessions.start()
  const offer = new OfferCache(options.offer, clock)
  const reception = new VisitorReception({
    bridge: options,
    name,
    page,
    listenPage: mountPath(app.prefix, prefix, LISTEN_PATH),
    settings,
    limits,
    offer,
    links,
    visits,
    listenLinks,
    sessions,
    counters,
    clock,
    log,
  })
  await reception.start()
  const audiences = new Audiences({
    ...{ relay, clock, log },
    admission: options.audienceAdmission ?? relay,
    name: options.homes ? `${name}-${options.homes.node}` : name,
    maxLanguages: settings.maxListenLanguages,
    maxListeners: settings.maxListeners,
  })
  audiences.start()
  const listeners = new ListenerReception({
    ...{ audiences, offer, limits, counters, clock, log },
    links: listenLinks,
    homes: options.homes,
    allows: options.audienceLanguage ?? (() => true),
  })
  const sockets = new Set<PageSocket>()
  const lobby = new Lobby(counters)
  const { groupOf = addressPrefix } = options

  const release = (rooms: ReadonlySet<string>) => {
    sessions.releaseRooms(rooms)
    listeners.releaseRooms(rooms)
  }
  const state: BrowserBridge = {
    legs: sessions.legs,
    get sessions() {
      return sessions.size
    },
    get listeners() {
      return audiences.size
    },
    legCounters: () => sessions.counters(),
    releaseRooms: release,
    ...{ counters, links, listenLinks },
  }
  decorateScope(app, 'browser', state)
  const lost = options.homes?.onLost(release)
  app.addHook('preClose', async () => {
    lost?.[Symbol.dispose]()
    for (const leg of sessions.legs) void leg.close({ kind: 'parent-closed' })
    await Promise.all(Array.from(sockets, socket => socket.close('going-away')))
    sessions[Symbol.dispose]()
    listeners[Symbol.dispose]()
    audiences[Symbol.dispose]()
    ending?.[Symbol.dispose]()
  })

  // The Dragoman server serves them for all its pages.
  const shared = app.hasRoute({ method: 'GET', url: `${FILES_PATH}/pages/page/base.css` }) && mount === ''
  const files = shared ? FILES_PATH : `${TALK_PATH}${FILES_PATH}`

  /** Rejects requests for other hosts and from other origins. */
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    if (originCheck.knowsHost(request) && originCheck.sameSite(request)) {
      if (originCheck.local(request)) markAuthenticated(request.raw)
      return undefined
    }
    log.warn({ route: request.routeOptions.url }, 'request rejected: foreign origin or host')
    return sendError(request, reply, originCheck.knowsHost(request) ? foreignPage : unknownHost(request))
  }

  /** Guards the socket, and lets it wait for its first message. */
  const enter = (webSocket: WebSocket, request: FastifyRequest, its = limits) => {
    const socket = pageSocket(webSocket, clock, its)
    const origin = { address: addressPrefix(request.ip), group: groupOf(request.ip) }
    lobby.enter(socket, origin)
    sockets.add(socket)
    webSocket.once('close', () => {
      sockets.delete(socket)
      lobby.leave(socket)
    })
    const known = () => {
      lobby.leave(socket)
      markAuthenticated(request.raw)
    }
    return { socket, origin, known }
  }
  const accept = (webSocket: WebSocket, request: FastifyRequest) => {
    const { socket, origin, known } = enter(webSocket, request)
    reception.answer(socket, { ...origin, local: originCheck.local(request), known })
  }
  const acceptListener = (webSocket: WebSocket, request: FastifyRequest) => {
    const { socket, known } = enter(webSocket, request, { ...limits, ...LISTENER_LIMITS })
    listeners.answer(socket, known)
  }

  await app.register(
    async scope => {
      onlyDescribe(scope)
      if (!shared) await scope.register(pageFiles, { path: files, shared: SHARED_FILES })
      talkPage(scope, { options, originCheck, settings, offer, onRequest, links, mount, files, reception })
      listenPage(scope, { originCheck, files })
      await socketRoutes(scope, [
        { url: `${TALK_PATH}/socket`, onRequest, accept },
        { url: `${LISTEN_PATH}/socket`, onRequest, accept: acceptListener },
      ])
    },
    { prefix },
  )
}

/** Revokes the bridge’s own links and visits when their rooms end. */
function revokeWithRooms(
  kinds: readonly (RoomLinks | RoomVisits)[],
  { observer, rooms }: Pick<BrowserBridgeOptions['relay'], 'observer' | 'rooms'>,
  clock: Clock,
): Disposable {
  const lives = new RoomLives(clock)
  lives.onEnded(room => {
    for (const kind of kinds) void kind.revokeAll(room)
  })
  const watch = observer.on('room', async ({ room, state }) => {
    if (state === 'opened') lives.opened(room)
    else if ((await Promise.all(kinds.map(kind => kind.has(room)))).includes(true)) lives.closed(room)
    // It can have opened again.
    else if (!rooms.has(room)) lives.end(room)
  })
  return {
    [Symbol.dispose]() {
      watch[Symbol.dispose]()
      lives[Symbol.dispose]()
    },
  }
}

/**
 * Connects browsers as legs of the relay. Serves the page at `/talk` (or `path`), its resources below `/talk` and the
 * socket at `/talk/socket`, all under `prefix`. Throws `BridgeError` `CONFIG` for invalid options.
 */
const browserBridge: HostPlugin<BrowserBridgeOptions> = hostPlugin(
  'browser-bridge',
  browserBridgeOptionsSchema,
  register,
)
export default browserBridge
