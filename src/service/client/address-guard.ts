import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { ServiceFailure } from './service-failure.ts'

/** Addresses that only this machine or its own network can reach, or that belong to nobody (IANA special purpose). */
const LOCAL = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  LOCAL.addSubnet(net, bits, 'ipv4')
for (const [net, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  LOCAL.addSubnet(net, bits, 'ipv6')

/** Whether `address` is an IP address that is not on the public network. */
export function isLocalAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, '')
  const family = isIP(bare)
  return family !== 0 && LOCAL.check(bare, family === 6 ? 'ipv6' : 'ipv4')
}

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
 * Throws `ServiceFailure` `blocked/address_not_allowed`.
 */
export function audioAddress(
  start: string,
  base: string,
  allowed: readonly string[],
  peer: string | undefined,
): AudioAddress {
  const url = URL.parse(start, `${base}/`)
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw blocked('it is no http(s) address')
  if (url.username || url.password) throw blocked('it holds credentials')
  const own = url.origin === new URL(base).origin
  const written = !own && allowed.some(origin => URL.parse(origin)?.origin === url.origin)
  if (!own && !written) throw blocked(`its origin ${url.origin} is neither the service's nor allowed`)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const localAllowed = own ? peer === undefined || isLocalAddress(peer) : isIP(host) !== 0
  if (isLocalAddress(host) && !localAllowed) throw blocked(`${host} is a local address`)
  return { url, own, lookup: guardedLookup(localAllowed) }
}

function guardedLookup(localAllowed: boolean): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '')
      const good = localAllowed ? found : found.filter(({ address }) => !isLocalAddress(address))
      const [first] = good
      if (!first) return done(blocked(`${hostname} leads to a local address`), '')
      if (options.all) done(null, good)
      else done(null, first.address, first.family)
    })
  }
}

function blocked(why: string): ServiceFailure {
  return ServiceFailure.found('blocked/address_not_allowed', `streamed audio is not fetched: ${why}`)
}
