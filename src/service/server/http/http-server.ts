import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerOptions,
  ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Server as SocketServer } from 'socket.io'
import { type ServerOptions as WebSocketOptions, WebSocketServer } from 'ws'
import { isLoopback, type TrustedProxies } from '../../../net/client-address.ts'
import { hasBegunResponse } from '../../../net/edge-server.ts'
import { httpLimits, SECURITY_HEADERS } from '../../../net/http-hardening.ts'
import { markAuthenticated, type RequestGuard } from '../../../net/request-guard.ts'
import type { ServerLimits } from '../../../net/server-limits.ts'
import { ServiceError } from '../errors.ts'
import { shown } from '../query.ts'
import { STREAM_ORIGINS, STREAM_PATH } from '../session/audio-stream.ts'
import type { ConnectGuard, EngineConnection } from '../session/namespace-sessions.ts'
import type { RefusalLog } from '../session/refusal-log.ts'
import type { ServiceSettings } from '../settings.ts'

/** Error code of Node's HTTP parser for a head or body that is not received in time. */
const TOO_LATE = 'ERR_HTTP_REQUEST_TIMEOUT'

/**
 * Answers bytes that are not a valid request (not HTTP, an unterminated head, an incomplete body) with an error of the
 * table, and closes the connection. If a response has already started on the connection, it is only closed: a second
 * response would be read as part of the first.
 */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || hasBegunResponse(socket)) {
    socket.destroy()
    return
  }
  const late = error.code === TOO_LATE
  const failure = late
    ? new ServiceError('upload_too_slow', 'the request was not received completely in time')
    : error instanceof ServiceError
      ? error
      : new ServiceError('request_malformed', error.message)
  const body = JSON.stringify(failure.data)
  const headers = { ...SECURITY_HEADERS, ...retryAfter(failure) }
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\n${more.join('')}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

function retryAfter({ retryAfterMs }: ServiceError): Record<string, string> {
  return retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }
}

/** Path of Socket.IO. */
const SOCKETS = '/socket.io/'

/** HTTP server options: only a GET of Socket.IO's own path can be upgraded. */
export function httpOptions(limits: Pick<ServerLimits, 'headersTimeoutMs'>): ServerOptions {
  return {
    ...httpLimits(limits),
    shouldUpgradeCallback: ({ method, url }) => method === 'GET' && url?.startsWith(SOCKETS) === true,
  }
}

/** Engine.IO protocol version of Socket.IO 3 and 4. */
const PROTOCOL = '4'
const TRANSPORTS = ['polling', 'websocket']

/** The part of an Engine.IO connection that is used here. */
interface Connection extends EngineConnection {
  readonly id: string
}

/** Upgrades requests to WebSockets; rejected upgrades get an error of the table. */
export class SocketUpgrades extends WebSocketServer {
  constructor(options: WebSocketOptions) {
    super(options)
    this.on('wsClientError', (error, socket) => answerMalformed(error, socket as Socket))
  }
}

export interface SocketRules {
  readonly requestGuard: RequestGuard
  readonly guard: ConnectGuard
  readonly origins: OriginCheck
  readonly proxies: TrustedProxies
  readonly refusals: RefusalLog
}

/**
 * Checks requests to Socket.IO's path before Engine.IO does, which would answer with errors in its own format. Only
 * requests are checked; Engine.IO reads the packets of an open connection.
 */
export function addSocketRules(
  { engine }: SocketServer,
  { requestGuard, guard, origins, proxies, refusals }: SocketRules,
): void {
  const open = new Map<string, Connection>()
  engine.on('connection', (connection: Connection) => {
    guard.watch(
      connection,
      proxies.addressOf(connection.request.socket.remoteAddress ?? '', connection.request.headers),
    )
    open.set(connection.id, connection)
    connection.once('close', () => {
      open.delete(connection.id)
      guard.forget(connection)
    })
  })
  engine.use((request: IncomingMessage, response: unknown, next: () => void) => {
    const upgrade = !(response instanceof ServerResponse)
    const connection = open.get(searchOf(request).get('sid') ?? '')
    // The key is in the first packet: `ConnectGuard` limits the connections that wait for it.
    requestGuard.rejection(request, 'later')
    if (connection && guard.isJoined(connection)) markAuthenticated(request)
    const error =
      origins.refusal(request.headers) ?? malformed(wrongWith(request, upgrade, connection, guard))
    if (error === undefined) {
      if (upgrade && connection) guard.watchSocket(connection, request.socket)
      return next()
    }
    const { remoteAddress = '' } = request.socket
    refusals.note(proxies.addressOf(remoteAddress, request.headers), loggable(error), {
      error: error.specific,
    })
    if (upgrade) return answerMalformed(error, request.socket)
    const body = JSON.stringify(error.data)
    const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    response.writeHead(error.status, head).end(body)
  })
}

/** Returns the description of an error without the text from the client, which is quoted. */
function loggable({ message }: ServiceError): string {
  return message.replace(/".*"/s, '…')
}

function malformed(wrong: string | undefined): ServiceError | undefined {
  return wrong === undefined ? undefined : new ServiceError('request_malformed', wrong)
}

function searchOf({ url = '' }: IncomingMessage): URLSearchParams {
  return new URL(url, 'http://here').searchParams
}

function wrongWith(
  request: IncomingMessage,
  upgrade: boolean,
  connection: Connection | undefined,
  guard: ConnectGuard,
): string | undefined {
  const { method } = request
  const query = searchOf(request)
  const protocol = query.get('EIO') ?? undefined
  const transport = query.get('transport') ?? undefined
  const sid = query.get('sid')
  if (protocol !== PROTOCOL) return `EIO is ${shown(protocol)}, allowed: ${PROTOCOL}, of Socket.IO 3 and 4`
  if (transport === undefined || !TRANSPORTS.includes(transport))
    return `transport is ${shown(transport)}, allowed: ${TRANSPORTS.join(', ')}`
  if (upgrade !== (transport === 'websocket'))
    return `transport is ${transport}, and the request ${upgrade ? 'asks' : 'does not ask'} for a WebSocket`
  if (!sid) return method === 'GET' ? undefined : `a handshake is a GET, got ${method}`
  if (!connection) return 'no connection has this sid'
  if (!upgrade && connection.transport.name !== transport)
    return `transport is ${transport}, the connection uses ${connection.transport.name}`
  return guard.oversized(connection, request)
}

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'content-type, x-api-key',
  'access-control-max-age': '600',
}

/**
 * Decides which web pages can use the service. CORS alone does not: it does not cover WebSockets, and a page can send
 * many requests without reading the responses. Other clients send no `Origin` and are not affected.
 *
 * Without keys, the name in `Host` is checked too: a page under a name that its owner resolves to this machine (DNS
 * rebinding) has the same origin as the service.
 */
export class OriginCheck {
  readonly #origins: ReadonlySet<string>
  readonly #open: boolean
  /** Host names of the service, in addition to loopback. */
  readonly #names: ReadonlySet<string>

  constructor({ allowedOrigins, open, host, publicUrl }: ServiceSettings) {
    const own = publicUrl === undefined ? undefined : new URL(publicUrl)
    this.#origins = new Set([...allowedOrigins, ...(own ? [own.origin] : [])])
    this.#open = open
    this.#names = new Set([host, ...(own ? [own.hostname] : [])])
  }

  /** Returns the reason to reject a request with these headers, or undefined. */
  refusal(headers: IncomingHttpHeaders): ServiceError | undefined {
    const { host, origin } = headers
    const foreign = this.#foreignName(headers)
    if (foreign) return foreign
    if (origin === undefined || this.allows(origin)) return undefined
    if (host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase())
      return undefined
    return refused('this origin is not allowed: add it to embedded.allowedOrigins')
  }

  /** True if pages of `origin` can use the service from another site. */
  allows(origin: string): boolean {
    return this.#origins.has('*') || this.#origins.has(origin)
  }

  /** Applies the check to the routes of `app` and adds the headers that let browsers read the responses. */
  guard(app: FastifyInstance): void {
    app.addHook('onRequest', async (request, reply) => {
      const { headers, method, url } = request
      const streamed = url.startsWith(STREAM_PATH)
      const error = streamed ? this.#foreignName(headers) : this.refusal(headers)
      if (error) throw error
      const { origin } = headers
      const preflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
      if (streamed)
        return preflight
          ? reply
              .code(204)
              .headers({ ...PREFLIGHT, ...STREAM_ORIGINS })
              .send()
          : undefined
      if (origin === undefined || !this.allows(origin)) return undefined
      void reply.headers({ 'access-control-allow-origin': origin, vary: 'origin' })
      return preflight ? reply.code(204).headers(PREFLIGHT).send() : undefined
    })
  }

  #foreignName({ host }: IncomingHttpHeaders): ServiceError | undefined {
    if (!this.#open || this.#isOwn(host)) return undefined
    return refused('a service without keys only accepts requests to its own host name')
  }

  #isOwn(host: string | undefined): boolean {
    if (host === undefined || !URL.canParse(`http://${host}`)) return false
    const { hostname } = new URL(`http://${host}`)
    return isLoopback(hostname) || this.#names.has(hostname)
  }
}

function refused(description: string): ServiceError {
  return new ServiceError('origin_not_allowed', description)
}
