import type { FastifyRequest } from 'fastify'
import { isFromThisMachine } from '../../guard/this-machine.ts'
import type { ErrorPage } from '../../pages/error-page.ts'

const LOOPBACK_HOST = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d+)?$/i
/** An address is nobody's name: no name server can point it elsewhere. */
const ADDRESS_HOST = /^(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[[\da-f:.]+\])(:\d+)?$/i

export interface DoorwayOptions {
  readonly publicUrl?: string | undefined
  /** Other origins under which the page is reached. */
  readonly origins?: readonly string[]
}

/**
 * Tells from a request's head whether it comes from our own page. A page of another site must not use the browser of
 * somebody who may come in (`Origin`), nor a name that its owner points at this machine (`Host`).
 */
export class Doorway {
  readonly #origins: ReadonlySet<string>
  readonly #hosts: ReadonlySet<string>

  constructor({ publicUrl, origins = [] }: DoorwayOptions) {
    const urls = [...(publicUrl === undefined ? [] : [publicUrl]), ...origins].map(text => new URL(text))
    this.#origins = new Set(urls.map(({ origin }) => origin))
    this.#hosts = new Set(urls.map(({ host }) => host))
  }

  /** The host that is asked for is this server, by a name that is its own. */
  knowsHost({ headers: { host = '' } }: FastifyRequest): boolean {
    return LOOPBACK_HOST.test(host) || ADDRESS_HOST.test(host) || this.#hosts.has(host.toLowerCase())
  }

  /** It is of our own page, or of no page at all. */
  sameSite(request: FastifyRequest): boolean {
    const { origin, host = '' } = request.headers
    if (origin === undefined) return true
    return this.#origins.has(origin) || origin === `http://${host}` || origin === `https://${host}`
  }

  /** Somebody on this machine, not somebody whom a proxy or tunnel on it brings. */
  local({ raw }: FastifyRequest): boolean {
    return isFromThisMachine(raw)
  }
}

/** The answer to somebody who opens the page by a name that the settings do not have. */
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

/** The answer to a page of another site that uses its visitor's browser. */
export const FOREIGN_PAGE: ErrorPage = {
  status: 403,
  code: 'origin-not-allowed',
  title: 'This page is not allowed',
  text: 'The request came from a page of another site.',
  steps: ['If you run this server: add the origin of that page to browser.origins, and restart.'],
}
