import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Server as SocketServer } from 'socket.io'
import { type ServerOptions as WebSocketOptions, WebSocketServer } from 'ws'
import type { Door } from '../../../net/door.ts'
import { shown } from '../query.ts'
import { ServiceError } from '../service-error.ts'
import type { ConnectGuard, EngineConnection } from '../session/connect-guard.ts'
import { answerMalformed } from './malformed-answer.ts'
import type { OriginCheck } from './origin-check.ts'

/** Engine.IO protocol version of Socket.IO 3 and 4. */
const PROTOCOL = '4'
const TRANSPORTS = ['polling', 'websocket']

/** The part of an Engine.IO connection that is used here. */
interface Connection extends EngineConnection {
  readonly id: string
  once(event: 'close', listener: () => void): unknown
}

/** Upgrades requests to WebSockets; rejected upgrades get an error of the table. */
export class SocketUpgrades extends WebSocketServer {
  constructor(options: WebSocketOptions) {
    super(options)
    this.on('wsClientError', (error, socket) => answerMalformed(error, socket as Socket))
  }
}

export interface SocketRules {
  readonly door: Door
  readonly guard: ConnectGuard
  readonly origins: OriginCheck
}

/**
 * Checks requests to Socket.IO's path before Engine.IO does, which would answer with errors of its own format. Only
 * requests are checked; Engine.IO reads the packets of an open connection.
 */
export function addSocketRules({ engine }: SocketServer, { door, guard, origins }: SocketRules): void {
  const open = new Map<string, Connection>()
  engine.on('connection', (connection: Connection) => {
    guard.watch(connection)
    open.set(connection.id, connection)
    connection.once('close', () => open.delete(connection.id))
  })
  engine.use((request: IncomingMessage, response: unknown, next: () => void) => {
    const upgrade = !(response instanceof ServerResponse)
    const connection = open.get(searchOf(request).get('sid') ?? '')
    const error = door.turns(request)
      ? turnedAway()
      : (origins.refusal(request.headers) ?? malformed(wrongWith(request, upgrade, connection, guard)))
    if (error === undefined) {
      if (upgrade && connection) guard.watchSocket(connection, request.socket)
      return next()
    }
    if (upgrade) return answerMalformed(error, request.socket)
    const body = JSON.stringify(error.data)
    const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    // An unread body must not keep the connection open.
    const close = request.method === 'POST' ? { connection: 'close' } : {}
    response.writeHead(error.status, { ...head, ...close }).end(body)
  })
}

function turnedAway(): ServiceError {
  return new ServiceError('too_many_attempts', 'too many requests without a key: try again in 1 s', {
    retryAfterMs: 1_000,
  })
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
