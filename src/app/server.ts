import Fastify, { type FastifyInstance } from 'fastify'
import type { Clock } from '../common/clock.ts'
import type { Log } from '../common/log.ts'
import { Door } from '../net/door.ts'
import { guardServer, httpLimits } from '../net/guarded-server.ts'
import type { LimitSettings } from '../net/settings.ts'
import { sendError } from '../pages/error-page.ts'
import { serverOptions } from './server-options.ts'

export interface ServerTerms {
  readonly limits: LimitSettings
  /** Proxies trusted to set `X-Forwarded-For`. */
  readonly trustProxy: readonly string[]
  readonly clock: Clock
  readonly log: Log
}

/** Creates the bridge’s HTTP server with its request guard, without routes. */
export function openServer({ limits, trustProxy, clock, log }: ServerTerms): {
  server: FastifyInstance
  door: Door
} {
  const server = Fastify({
    forceCloseConnections: true,
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.stalledMs,
    keepAliveTimeout: limits.idleMs,
    http: httpLimits(limits),
    ...serverOptions(),
  })
  // Details of internal errors go only to the log.
  server.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const { statusCode = 500 } = error
    if (statusCode >= 500)
      log.error({ route: request.routeOptions.url, err: error.name, reason: error.message }, 'request failed')
    return reply.code(statusCode).send({ statusCode, error: statusCode >= 500 ? 'failed' : 'refused' })
  })
  server.setNotFoundHandler((request, reply) =>
    sendError(request, reply, {
      status: 404,
      code: 'not-found',
      title: 'Page not found',
      text: 'There is no page at this address.',
      steps: [
        'To talk, open the start page of this server.',
        'If you followed a link, check that you opened it exactly as you received it.',
      ],
    }),
  )
  const door = new Door({ limits, proxies: trustProxy, clock })
  guardServer(server, door)
  return { server, door }
}
