import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { isLoopback } from '../../../net/client-address.ts'
import { ServiceError } from '../errors.ts'
import type { ServiceSettings } from '../settings.ts'

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
  refusal({ host, origin }: IncomingHttpHeaders): ServiceError | undefined {
    if (this.#open && !this.#isOwn(host))
      return refused('a service without keys only accepts requests to its own host name')
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
      const { headers, method } = request
      const error = this.refusal(headers)
      if (error) throw error
      const { origin } = headers
      if (origin === undefined || !this.allows(origin)) return undefined
      void reply.headers({ 'access-control-allow-origin': origin, vary: 'origin' })
      if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return undefined
      return reply.code(204).headers(PREFLIGHT).send()
    })
  }

  #isOwn(host: string | undefined): boolean {
    if (host === undefined || !URL.canParse(`http://${host}`)) return false
    const { hostname } = new URL(`http://${host}`)
    return isLoopback(hostname.replace(/^\[|\]$/g, '')) || this.#names.has(hostname)
  }
}

function refused(description: string): ServiceError {
  return new ServiceError('origin_not_allowed', description)
}
