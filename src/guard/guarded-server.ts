import type { FastifyInstance } from 'fastify'
import type { Door } from './door.ts'
import type { ServerLimits } from './limits.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

/** How often is looked for requests that take too long (ms); by default Node does every half minute only. */
const LOOK_EVERY_MS = 1_000
/** When somebody who was turned away may try again (s). */
const RETRY_SECONDS = '1'

/** Of Node's HTTP server: how long it waits for the head of a request. */
export function httpLimits({ headersMs }: Pick<ServerLimits, 'headersMs'>) {
  return { headersTimeout: headersMs, connectionsCheckingInterval: LOOK_EVERY_MS }
}

/** Puts `door` before everything that `app` serves, and the security headers on every answer. Before the routes. */
export function guardServer(app: FastifyInstance, door: Door): void {
  door.watch(app.server)
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(SECURITY_HEADERS)
    const turned = door.turns(request.raw)
    if (turned === undefined) return undefined
    const body = {
      code: 'limit',
      error: 'too_many_requests',
      description: 'too many requests come that prove nothing',
    }
    return reply
      .code(turned === 'address' ? 429 : 503)
      .headers({ 'retry-after': RETRY_SECONDS, connection: 'close' })
      .send(body)
  })
}
