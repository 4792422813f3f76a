import { EventEmitter } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import websocket from '@fastify/websocket'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import { BridgeError } from '../../common/errors.ts'
import { HIDDEN } from '../../net/openapi.ts'

/** Maximum size of a message of any bridge (bytes); `ws` closes the connection with 1009 before it has all of a longer one. */
const MAX_PAYLOAD = 65_536

const NOT_FOUND = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/** Options of `@fastify/websocket` for the sockets of bridges, which close them and handle their errors themselves. */
export const WEBSOCKET_OPTIONS = {
  errorHandler: () => {},
  options: {
    maxPayload: MAX_PAYLOAD,
    maxFragments: 32,
    perMessageDeflate: false,
    clientTracking: false,
  },
}

export interface SocketRoute {
  /** Relative to the scope; its last segment can be `:key`. */
  readonly url: string
  /** Verifies the client’s proof, or leaves that to `accept`, which then limits what waits for a first message. */
  readonly onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
  /** Takes ownership of the socket in the tick in which it opens, because its first messages can follow at once. */
  readonly accept: (socket: WebSocket, request: FastifyRequest) => void
}

/**
 * Registers WebSocket routes in `scope`, a plugin’s own: those of `@fastify/websocket`, by the host’s registration or, without
 * one so far, by one for this scope. Throws `BridgeError` `CONFIG` if the host’s `maxPayload` is too small.
 */
export async function socketRoutes(scope: FastifyInstance, routes: readonly SocketRoute[]): Promise<void> {
  if (scope.hasDecorator('websocketServer')) assertLargeEnough(scope)
  else await registerFor(scope, routes)
  for (const route of routes) add(scope, route)
}

function assertLargeEnough({ websocketServer }: FastifyInstance): void {
  const { maxPayload = MAX_PAYLOAD } = websocketServer.options
  if (maxPayload >= MAX_PAYLOAD || maxPayload === 0) return
  throw new BridgeError(
    'CONFIG',
    `options.maxPayload of @fastify/websocket must be at least ${MAX_PAYLOAD} for this bridge, got ${maxPayload}`,
  )
}

function add(scope: FastifyInstance, { url, onRequest, accept }: SocketRoute): void {
  try {
    scope.route({
      method: 'GET',
      url,
      websocket: true,
      exposeHeadRoute: false,
      // OpenAPI cannot describe WebSockets.
      schema: HIDDEN,
      config: { proof: 'later' },
      onRequest,
      // A rejected upgrade. The plugin misses it if the host registers another copy of itself later.
      onResponse: async ({ raw }) => {
        if (raw.headers.upgrade !== undefined) raw.socket.destroySoon()
      },
      handler: (socket, request) => {
        try {
          accept(socket, request)
        } catch (error) {
          request.log.error({ err: error }, 'WebSocket route failed')
          socket.close(1011)
        }
      },
    })
  } catch (error) {
    // With `ignoreTrailingSlash`, the host considers it identical to the route without the slash.
    const { code } = error as { code?: string }
    if (!url.endsWith('/') || code !== 'FST_ERR_DUPLICATED_ROUTE') throw error
  }
}

/** The receivers of upgrades on a server, by path. */
const receivers = new WeakMap<Server, Map<string, EventEmitter>>()

/**
 * Registers `@fastify/websocket` for the upgrades of `routes` only: it would answer all others with 404, and a host can have
 * listeners for them, like Socket.IO.
 */
async function registerFor(scope: FastifyInstance, routes: readonly SocketRoute[]): Promise<void> {
  const receiver = new EventEmitter()
  const paths = receiversOf(scope.server)
  const prefix = scope.prefix.replace(/\/$/, '')
  for (const { url } of routes) paths.set(prefix + url, receiver)
  const { options, ...others } = WEBSOCKET_OPTIONS
  await scope.register(websocket, { ...others, options: { ...options, server: receiver as Server } })
}

function receiversOf(server: Server): Map<string, EventEmitter> {
  const known = receivers.get(server)
  if (known) return known
  const paths = new Map<string, EventEmitter>()
  receivers.set(server, paths)
  // Before all others: a registration of the host that follows routes every upgrade in the same tick.
  server.prependListener('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const [path = ''] = (request.url ?? '').split('?')
    // Only the last segment of a path can be a parameter.
    const receiver = paths.get(path) ?? paths.get(`${path.slice(0, path.lastIndexOf('/') + 1)}:key`)
    if (receiver) receiver.emit('upgrade', request, socket, head)
    // Nobody else can handle it.
    else if (server.listenerCount('upgrade') === 1) socket.on('error', () => socket.destroy()).end(NOT_FOUND)
  })
  return paths
}
