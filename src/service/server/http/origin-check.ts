import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { isLoopback, type ServiceSettings } from '../service-config.ts'
import { ServiceError } from '../service-error.ts'

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'content-type, x-api-key',
  'access-control-max-age': '600',
}

/**
 * Decides which web pages may use the service. CORS alone does not: it covers no WebSockets, and a page can send many requests without
 * reading the answers. Programs send no `Origin` and are not concerned.
 *
 * Without keys, the name in `Host` is checked too: a page under a name that its owner resolves to this machine (DNS
 * rebinding) has the same origin as the service.
 */
export class OriginCheck {
  readonly #origins: ReadonlySet<string>
  readonly #open: boolean
  /** Names that the service has, besides loopback. */
  readonly #names: ReadonlySet<string>

  constructor({ allowedOrigins, open, host, publicUrl }: ServiceSettings) {
    const own = publicUrl === undefined ? undefined : new URL(publicUrl)
    this.#origins = new Set([...allowedOrigins, ...(own ? [own.origin] : [])])
    this.#open = open
    this.#names = new Set([host, ...(own ? [own.hostname] : [])])
  }

  /** Why a request with these headers is refused; undefined when it is not. */
  refusal({ host, origin }: IncomingHttpHeaders): ServiceError | undefined {
    if (this.#open && !this.#isOwn(host))
      return refused(
        'a service without keys answers requests to its own address only, not to other host names',
      )
    if (origin === undefined || this.allows(origin)) return undefined
    if (host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase())
      return undefined
    return refused(
      'pages of this origin may not use the service; embedded.allowedOrigins lists those that may',
    )
  }

  /** Whether pages of `origin` may use the service from another site. */
  allows(origin: string): boolean {
    return this.#origins.has('*') || this.#origins.has(origin)
  }

  /** The same for the routes of `app`, with the headers by which browsers let pages read the answers. */
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
