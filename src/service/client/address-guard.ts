import type { LookupFunction } from 'node:net'
import { guardedLookup, isAddress, type Resolve } from '../../guard/guarded-lookup.ts'
import { isLocalAddress } from '../../guard/local-address.ts'
import { isOddPort } from '../../guard/odd-port.ts'
import { ServiceFailure } from './service-failure.ts'

export interface AudioAddress {
  readonly url: URL
  /** Whether it is the service's own origin: only then may it get the API key. */
  readonly own: boolean
  /** Resolves its name, and refuses what it must not lead to. */
  readonly lookup: LookupFunction
}

/**
 * The URL of `start`, if it may be fetched: http(s), without credentials, at the service's origin or an allowed one.
 * A name may lead to a local address only at the service's own origin, and only when the session's socket (`peer`)
 * is connected to a local one too; an allowed origin may be a local address when it is written as one.
 * Throws `ServiceFailure` `blocked/address_not_allowed`. `resolve` is the system's unless a test brings one.
 */
export function audioAddress(
  start: string,
  base: string,
  allowed: readonly string[],
  peer: string | undefined,
  resolve?: Resolve,
): AudioAddress {
  const url = URL.parse(start, `${base}/`)
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw blocked('it is no http(s) address')
  if (url.username || url.password) throw blocked('it holds credentials')
  if (isOddPort(url)) throw blocked(`port ${url.port} is none of a web server`)
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
