import type { IncomingMessage } from 'node:http'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { Clock } from '../common/clock.ts'
import type { Logger } from '../common/log.ts'
import { edgeServer } from '../net/edge-server.ts'
import { guardServer, httpLimits, SECURITY_HEADERS } from '../net/http-hardening.ts'
import { RequestGuard } from '../net/request-guard.ts'
import { SERVER_LIMITS, type ServerLimits } from '../net/server-limits.ts'
import type { LimitSettings } from '../net/settings.ts'
import { type ErrorPageOf, sendError, sendErrorPage, wantsPage } from '../pages/error-page.ts'
import { ControlError, fromFramework } from '../web/control/errors.ts'

/** The longest name of a room as a part of an address, with every character escaped. */
const LONGEST_PART = 128 * 12

/**
 * Options for reading requests. An invalid address below the control API gets an error of that API; elsewhere, only a
 * status. The type is inferred: Fastify 5.0 has no `routerOptions`.
 */
export function serverOptions() {
  return {
    routerOptions: { maxParamLength: LONGEST_PART },
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      const failure = request.url.startsWith('/v1/') ? fromFramework(error) : undefined
      const status = error.statusCode ?? 400
      void reply.headers(SECURITY_HEADERS)
      if (failure instanceof ControlError) void reply.status(failure.status).send(failure.body)
      else if (wantsPage(request)) void sendErrorPage(request, reply, refusedPage(status))
      else void reply.status(status).send({ statusCode: status, error: 'refused' })
    },
  }
}

/** Names of nodes; they are parts of addresses. What follows is a path: a second slash would start a host. */
const NODE_PATH = /^\/n\/[a-z0-9-]{1,32}(?=\/(?!\/))/

/**
 * Removes the path of a node from the address of a request, so that `/n/a/twilio/resume` reaches the route
 * `/twilio/resume`. A proxy sends a path to its node, and to another one if that node has ended.
 */
function withoutNodePath(url: string): string {
  return url.replace(NODE_PATH, '')
}

/** Limits of the bridge’s server. */
export interface BridgeLimits extends ServerLimits {
  /** Time to receive a complete request (ms). */
  readonly requestTimeoutMs: number
  /** Idle time after which a stalled connection is closed, except for media streams (ms). */
  readonly connectionTimeoutMs: number
}

export const BRIDGE_LIMITS: BridgeLimits = {
  ...SERVER_LIMITS,
  requestTimeoutMs: 9_000,
  connectionTimeoutMs: 60_000,
}

export interface ServerOptions {
  readonly limits: BridgeLimits & Pick<LimitSettings, 'exemptAddresses' | 'keepAliveTimeoutMs'>
  /** Proxies trusted to set `X-Forwarded-For`. */
  readonly trustProxy: readonly string[]
  /** Accepts addresses that start with the path of a node. */
  readonly nodePaths?: boolean
  readonly clock: Clock
  readonly log: Logger
}

/** Creates the bridge’s HTTP server with its request guard, without routes. */
export function openServer({ limits, trustProxy, nodePaths = false, clock, log }: ServerOptions): {
  server: FastifyInstance
  requestGuard: RequestGuard
} {
  const server: FastifyInstance = Fastify({
    ...(nodePaths && {
      rewriteUrl: (request: IncomingMessage) => withoutNodePath(request.url ?? '/'),
    }),
    ...edgeServer(clock),
    forceCloseConnections: true,
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    requestTimeout: limits.requestTimeoutMs,
    connectionTimeout: limits.connectionTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    http: httpLimits(limits),
    ...serverOptions(),
  })
  // Details of internal errors go only to the log.
  server.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const { statusCode = 500 } = error
    if (statusCode >= 500)
      log.error({ route: request.routeOptions.url, err: error.name, reason: error.message }, 'request failed')
    if (wantsPage(request))
      return sendErrorPage(request, reply, statusCode >= 500 ? failedPage : refusedPage(statusCode))
    return reply.code(statusCode).send({ statusCode, error: statusCode >= 500 ? 'failed' : 'refused' })
  })
  server.setNotFoundHandler((request, reply) => sendError(request, reply, missingPage(request)))
  const requestGuard = new RequestGuard({ limits, proxies: trustProxy, clock })
  guardServer(server, requestGuard)
  return { server, requestGuard }
}

/** Maximum number of characters of an address on a page. */
const LONGEST_SHOWN = 120

function missingPage({ url }: FastifyRequest): ErrorPageOf {
  const path = url.split('?')[0]!
  const shown = path.length > LONGEST_SHOWN ? `${path.slice(0, LONGEST_SHOWN)}…` : path
  return texts => ({
    status: 404,
    code: 'not-found',
    title: texts.missing,
    text: texts.missingAbout(shown.replaceAll('`', '%60')),
    steps: [
      { text: texts.checkAddress },
      { who: texts.ifInvited, text: texts.exactLink },
      { who: texts.ifYours, text: texts.missingYours },
    ],
    action: { name: texts.openStart, href: '/' },
  })
}

const failedPage: ErrorPageOf = texts => ({
  status: 500,
  code: 'failed',
  title: texts.failed,
  text: texts.failedAbout,
  steps: [{ text: texts.tryAgain }, { who: texts.ifYours, text: texts.failedYours }],
})

function refusedPage(status: number): ErrorPageOf {
  return texts => ({
    status,
    code: 'refused',
    title: texts.refused,
    text: texts.refusedAbout,
    steps: [{ text: texts.checkAddress }],
    action: { name: texts.openStart, href: '/' },
  })
}
