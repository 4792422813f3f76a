import type { FastifyRequest } from 'fastify'
import { isForwarded, isLocalRequest, isLoopbackAddress, namesLoopback } from '../../net/client-address.ts'
import type { ErrorPageOf } from '../../pages/error-page.ts'

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
    return namesLoopback(host) || ADDRESS_HOST.test(host) || this.#hosts.has(host.toLowerCase())
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

/** A host name that can be shown, and written into the settings. */
const SHOWN_HOST = /^[\w.:[\]-]{1,80}$/

/** The response for a page opened by a host name that is not in the settings. */
export function unknownHost({ headers, socket }: FastifyRequest): ErrorPageOf {
  const { host = '' } = headers
  const known = SHOWN_HOST.test(host)
  const { remoteAddress = '', localPort } = socket
  const here = localPort !== undefined && isLoopbackAddress(remoteAddress) && !isForwarded(headers)
  return texts => ({
    status: 403,
    code: 'host-not-allowed',
    title: texts.host,
    text: known ? texts.hostAbout(host) : texts.hostUnnamed,
    steps: [
      { who: texts.ifInvited, text: texts.exactLink },
      {
        who: texts.ifYours,
        text: texts.hostYours,
        settings: known ? `browser:\n  origins: [http://${host}]` : undefined,
      },
    ],
    action: here
      ? { name: texts.openAddress(`localhost:${localPort}`), href: `http://localhost:${localPort}/` }
      : undefined,
    home: false,
  })
}

/** The response to requests from pages of other sites. */
export const foreignPage: ErrorPageOf = texts => ({
  status: 403,
  code: 'origin-not-allowed',
  title: texts.foreign,
  text: texts.foreignAbout,
  steps: [{ who: texts.ifYours, text: texts.foreignYours }],
})
