import type { FastifyRequest } from 'fastify'
import { isLocalRequest } from '../../net/client-address.ts'
import type { ErrorPage } from '../../pages/page-document.ts'

const LOOPBACK_HOST = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d+)?$/i
/** IP addresses cannot be rebound by a name server. */
const ADDRESS_HOST = /^(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[[\da-f:.]+\])(:\d+)?$/i

export interface OriginCheckOptions {
  readonly publicUrl?: string | undefined
  /** Additional origins that serve the page. */
  readonly origins?: readonly string[]
}

/**
 * Checks by its headers whether a request comes from our own page. Pages of other sites must not act through the
 * browser of an admitted user (`Origin`), nor through a name that their owner points at this machine (`Host`).
 */
export class OriginCheck {
  readonly #origins: ReadonlySet<string>
  readonly #hosts: ReadonlySet<string>

  constructor({ publicUrl, origins = [] }: OriginCheckOptions) {
    const urls = [...(publicUrl === undefined ? [] : [publicUrl]), ...origins].map(text => new URL(text))
    this.#origins = new Set(urls.map(({ origin }) => origin))
    this.#hosts = new Set(urls.map(({ host }) => host))
  }

  /** Returns true if the requested host is one of this server’s own names. */
  knowsHost({ headers: { host = '' } }: FastifyRequest): boolean {
    return LOOPBACK_HOST.test(host) || ADDRESS_HOST.test(host) || this.#hosts.has(host.toLowerCase())
  }

  /** Returns true for requests from our own page, or from no page at all. */
  sameSite(request: FastifyRequest): boolean {
    const { origin, host = '' } = request.headers
    if (origin === undefined) return true
    return this.#origins.has(origin) || origin === `http://${host}` || origin === `https://${host}`
  }

  /** Returns true for clients on this machine, except those connecting through a local proxy or tunnel. */
  local({ raw }: FastifyRequest): boolean {
    return isLocalRequest(raw)
  }
}

/** The response for a page opened by a host name that is not in the settings. */
export function unknownHost({ headers: { host = '' } }: FastifyRequest): ErrorPage {
  const name = /^[\w.:[\]-]{1,80}$/.test(host) ? host : 'that name'
  return {
    status: 403,
    code: 'host-not-allowed',
    title: 'This address is not allowed',
    text: `You opened ${name}, but this server only accepts the addresses in its settings.`,
    steps: [
      'If you were invited: open the link exactly as you received it.',
      `If you run this server: set publicUrl, or add http://${name} to browser.origins, and restart.`,
    ],
  }
}

/** The response to requests from pages of other sites. */
export const FOREIGN_PAGE: ErrorPage = {
  status: 403,
  code: 'origin-not-allowed',
  title: 'This page is not allowed',
  text: 'The request came from a page of another site.',
  steps: ['If you run this server: add the origin of that page to browser.origins, and restart.'],
}
