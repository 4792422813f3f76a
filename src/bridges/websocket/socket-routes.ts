import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import { HIDDEN } from '../../net/openapi.ts'

const NOT_FOUND = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

interface Upgrade {
  readonly socket: Socket
  readonly head: Buffer
}

/** Upgrades currently passing through Fastify's hooks. */
const upgrades = new WeakMap<IncomingMessage, Upgrade>()
/** The paths of all socket routes on a server. */
const watched = new WeakMap<Server, Set<string>>()

export interface SocketRoute {
  /** Relative to the scope; its last segment can be `:key`. */
  readonly url: string
  /** Verifies the client’s proof, or leaves that to `accept`, which then limits what waits for a first message. */
  readonly onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
  /** Takes ownership of the socket in the tick in which it opens, because its first messages can follow at once. */
  readonly accept: (socket: WebSocket, request: FastifyRequest) => void
}

export interface SocketRouteOptions {
  /** Maximum size of a message (bytes); a longer one closes the connection with 1009. */
  readonly maxPayload: number
  /** The subprotocol to select if a client offers it. Default: the first one offered. */
  readonly subprotocol?: string | undefined
}

/**
 * WebSocket routes with their own limits, in an app that possibly also uses `@fastify/websocket`: registered earlier or
 * later, from any copy, with any `maxPayload`. Upgrades pass through Fastify's hooks like any request: the host's
 * plugin routes them, or, without one, this class does. They end in a `preHandler` here, before the handler, which
 * the host's plugin can wrap.
 */
export class SocketRoutes {
  readonly #scope: FastifyInstance
  readonly #server: WebSocketServer
  readonly #paths: Set<string>

  /** `scope` is the plugin's own scope, in which its routes are registered next. */
  constructor(scope: FastifyInstance, { maxPayload, subprotocol }: SocketRouteOptions) {
    this.#scope = scope
    this.#paths = watch(scope)
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxFragments: 32,
      maxPayload,
      ...(subprotocol === undefined
        ? {}
        : { handleProtocols: offered => offered.has(subprotocol) && subprotocol }),
    })
  }

  route(route: SocketRoute): void {
    this.#paths.add(this.#scope.prefix.replace(/\/$/, '') + route.url)
    try {
      this.#register(route)
    } catch (error) {
      // With `ignoreTrailingSlash`, the host considers it identical to the route without the slash.
      const { code } = error as { code?: string }
      if (!route.url.endsWith('/') || code !== 'FST_ERR_DUPLICATED_ROUTE') throw error
    }
  }

  #register({ url, onRequest, accept }: SocketRoute): void {
    this.#scope.route({
      method: 'GET',
      url,
      exposeHeadRoute: false,
      // OpenAPI cannot describe WebSockets.
      schema: HIDDEN,
      config: { proof: 'later' },
      onRequest,
      preHandler: (request, reply, done) => {
        const upgrade = upgrades.get(request.raw)
        if (!upgrade) {
          done()
          return
        }
        upgrades.delete(request.raw)
        reply.hijack()
        this.#server.handleUpgrade(request.raw, upgrade.socket, upgrade.head, socket => {
          socket.on('error', () => {})
          try {
            accept(socket, request)
          } catch (error) {
            request.log.error({ err: error }, 'WebSocket route failed')
            socket.close(1011)
          }
        })
      },
      onResponse: (request, _reply, done) => {
        // The upgrade was rejected: the connection is not used further.
        upgrades.get(request.raw)?.socket.destroySoon()
        upgrades.delete(request.raw)
        done()
      },
      handler: (_request, reply) => reply.code(404).send(),
    })
  }
}

/** Tracks the upgrades of the server of `scope` and routes them. Once per server. */
function watch(scope: FastifyInstance): Set<string> {
  const { server } = scope
  const known = watched.get(server)
  if (known) return known
  const paths = new Set<string>()
  watched.set(server, paths)
  // Before all others: the host's plugin routes the request in the same tick.
  server.prependListener('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    upgrades.set(request, { socket, head })
    socket.on('error', () => socket.destroy())
  })
  // After all other hooks, to detect if one of their listeners routes upgrades.
  scope.addHook('onReady', async () => {
    server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
      if (socket.destroyed) return
      const response = new ServerResponse(request)
      try {
        response.assignSocket(socket)
      } catch {
        // The host's plugin already responds on this socket.
        return
      }
      const [path = ''] = (request.url ?? '').split('?')
      // Only the last segment of a path can be a parameter.
      const parent = path.slice(0, path.lastIndexOf('/') + 1)
      if (paths.has(path) || (parent !== path && paths.has(`${parent}:key`))) {
        scope.routing(request, response)
        return
      }
      response.detachSocket(socket)
      // Another listener can still handle it, now or later. Two of the listeners are ours.
      if (server.listenerCount('upgrade') <= 2) socket.end(NOT_FOUND)
    })
  })
  return paths
}
