import type { FastifyInstance } from 'fastify'
import type { RequestGuard } from './request-guard.ts'
import type { ServerLimits } from './server-limits.ts'

/** Restrictions for pages and for any content that a browser could interpret as one. Pages add exceptions. */
const POLICY = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]

/** Returns the content security policy, with `more` directives for pages that need them. */
export function contentPolicy(...more: readonly string[]): string {
  return [...POLICY, ...more].join('; ')
}

/** Sent with every response. Responses never reveal the program or its version. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': contentPolicy(),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

/** Interval between checks for slow requests (ms); Node's default is 30 seconds. */
const LOOK_EVERY_MS = 1_000
/** `Retry-After` of rejected requests (s). */
const RETRY_SECONDS = '1'

/** Timeouts of the HTTP server for request headers. */
export function httpLimits({ headersTimeoutMs }: Pick<ServerLimits, 'headersTimeoutMs'>) {
  return { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: LOOK_EVERY_MS }
}

/**
 * Places the request guard before all routes of `app`, and adds security headers to every response. Call it before
 * adding routes.
 */
export function guardServer(app: FastifyInstance, requestGuard: RequestGuard): void {
  requestGuard.watch(app.server)
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(SECURITY_HEADERS)
    const turned = requestGuard.rejection(request.raw, request.routeOptions.config?.proof)
    if (turned === undefined) return undefined
    const body = {
      code: 'limit',
      error: 'too_many_requests',
      description: 'too many unauthenticated requests',
    }
    return reply
      .code(turned === 'address' ? 429 : 503)
      .headers({ 'retry-after': RETRY_SECONDS, connection: 'close' })
      .send(body)
  })
}
