import type { LookupFunction } from 'node:net'
import { guardedLookup, isAddress, type Resolve } from '../../net/guarded-lookup.ts'
import { isLocalAddress } from '../../net/local-address.ts'
import { isOddPort } from '../../net/odd-port.ts'
import { ServiceFailure } from './service-failure.ts'

export interface AudioAddress {
  readonly url: URL
  /** True for the service's own origin, the only origin that receives the API key. */
  readonly own: boolean
  /** Resolves its host name, and rejects private addresses. */
  readonly lookup: LookupFunction
}

/**
 * Parses the URL of `start` and checks that it can be fetched: http(s), without credentials, at the service's origin or
 * an allowed one. A host name may resolve to a local address only at the service's own origin, and only if the
 * session's socket (`peer`) is connected to a local address too. An allowed origin can be a local address if it is
 * written as one. Throws `ServiceFailure` `blocked/address_not_allowed`. `resolve` defaults to the system resolver.
 */
export function audioAddress(
  start: string,
  base: string,
  allowed: readonly string[],
  peer: string | undefined,
  resolve?: Resolve,
): AudioAddress {
  const url = URL.parse(start, `${base}/`)
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw blocked('it is not an http(s) address')
  if (url.username || url.password) throw blocked('it contains credentials')
  if (isOddPort(url)) throw blocked(`port ${url.port} is blocked`)
  const own = url.origin === new URL(base).origin
  const written = !own && allowed.some(origin => URL.parse(origin)?.origin === url.origin)
  if (!own && !written) throw blocked(`its origin ${url.origin} is neither the service's nor allowed`)
  const localAllowed = own ? peer !== undefined && isLocalAddress(peer) : isAddress(url)
  if (isLocalAddress(url.hostname) && !localAllowed) throw blocked(`${url.hostname} is a local address`)
  return { url, own, lookup: guardedLookup(localAllowed, resolve) }
}

function blocked(why: string): ServiceFailure {
  return ServiceFailure.found('blocked/address_not_allowed', `streamed audio is not fetched: ${why}`)
}
