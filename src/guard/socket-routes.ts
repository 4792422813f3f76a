import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import { HIDDEN } from './route-schema.ts'

const NOT_FOUND = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

interface Upgrade {
  readonly socket: Socket
  readonly head: Buffer
}

/** Upgrades that are on their way through Fastify's hooks. */
const upgrades = new WeakMap<IncomingMessage, Upgrade>()
/** The paths of all socket routes on a server. */
const watched = new WeakMap<Server, Set<string>>()

export interface SocketRoute {
  /** Below the scope. */
  readonly url: string
  readonly onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
  /** Takes the socket, in the tick in which it opens: its first messages may be there already. */
  readonly accept: (socket: WebSocket, request: FastifyRequest) => void
}

export interface SocketRouteTerms {
  /** Largest message taken (bytes); a longer one closes the connection with 1009. */
  readonly maxPayload: number
}

/**
 * WebSocket routes with bounds of their own, in an app that may use `@fastify/websocket` itself: registered before or after, by whatever
 * copy, with whatever `maxPayload`. Upgrades run through Fastify's hooks like any request: the host's plugin routes them there if there is
 * one, otherwise this does. They end in a `preHandler` here, before the handler, which the host's plugin may have wrapped.
 */
export class SocketRoutes {
  readonly #scope: FastifyInstance
  readonly #server: WebSocketServer
  readonly #paths: Set<string>

  /** `scope` is the plugin's own, in which its routes are registered next. */
  constructor(scope: FastifyInstance, { maxPayload }: SocketRouteTerms) {
    this.#scope = scope
    this.#paths = watch(scope)
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxFragments: 32,
      maxPayload,
    })
  }

  route(route: SocketRoute): void {
    this.#paths.add(this.#scope.prefix.replace(/\/$/, '') + route.url)
    try {
      this.#register(route)
    } catch (error) {
      // The host takes it for the same as the one without the slash (`ignoreTrailingSlash`).
      const { code } = error as { code?: string }
      if (!route.url.endsWith('/') || code !== 'FST_ERR_DUPLICATED_ROUTE') throw error
    }
  }

  #register({ url, onRequest, accept }: SocketRoute): void {
    this.#scope.route({
      method: 'GET',
      url,
      exposeHeadRoute: false,
      // OpenAPI has no sockets.
      schema: HIDDEN,
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
        // It was refused: nothing else comes on this connection.
        upgrades.get(request.raw)?.socket.destroySoon()
        upgrades.delete(request.raw)
        done()
      },
      handler: (_request, reply) => reply.code(404).send(),
    })
  }
}

/** Notes the upgrades of the server of `scope`, and has them routed. Once for each server. */
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
  // Behind all others that were registered, so that it is seen whether one of them routes upgrades.
  scope.addHook('onReady', async () => {
    server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
      if (socket.destroyed) return
      const response = new ServerResponse(request)
      try {
        response.assignSocket(socket)
      } catch {
        // Somebody answers through it already: the host's plugin.
        return
      }
      const [path = ''] = (request.url ?? '').split('?')
      if (paths.has(path)) {
        scope.routing(request, response)
        return
      }
      response.detachSocket(socket)
      // Another listener may want it, now or in a moment. Two are ours.
      if (server.listenerCount('upgrade') <= 2) socket.end(NOT_FOUND)
    })
  })
  return paths
}
