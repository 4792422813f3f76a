import { type LookupAllOptions, lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/**
 * Addresses reachable only from this machine or its network, and reserved addresses (IANA special-purpose registry).
 */
const LOCAL = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  // Azure's internal service address, which looks like a public one.
  ['168.63.129.16', 32],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  LOCAL.addSubnet(net, bits, 'ipv4')
for (const [net, bits] of [
  ['::', 96],
  // Embedded IPv4 addresses, which a translator can route anywhere: NAT64, Teredo, 6to4.
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  LOCAL.addSubnet(net, bits, 'ipv6')

/** True if `address` is an IP address outside the public network; an IPv6 address can have brackets or a zone. */
export function isLocalAddress(address: string): boolean {
  const [bare = ''] = address.replace(/^\[|\]$/g, '').split('%')
  const family = isIP(bare)
  return family !== 0 && LOCAL.check(bare, family === 6 ? 'ipv6' : 'ipv4')
}

/** Resolves all addresses of a name, like `dns.lookup`. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  done: (
    error: NodeJS.ErrnoException | null,
    addresses: readonly { address: string; family: number }[],
  ) => void,
) => void

/** A host name that resolves to a local address. */
export class PrivateAddressError extends Error {
  readonly code = 'ADDRESS_REFUSED'
}

/**
 * A `lookup` for connections: checks the resolved addresses at connection time and connects to exactly those, so that a
 * name server that later answers differently cannot bypass the check. Unless `localAllowed`, a name with any local
 * address is rejected with `PrivateAddressError`.
 */
export function publicLookup(localAllowed: boolean, resolve: Resolve = systemLookup): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '')
      const [first] = found
      if (!first || (!localAllowed && found.some(({ address }) => isLocalAddress(address))))
        return done(new PrivateAddressError(`${hostname} resolves to a local address`), '')
      if (options.all) done(null, [...found])
      else done(null, first.address, first.family)
    })
  }
}

/** True if `url` contains a local address or `localhost`, without name resolution. */
export function isWrittenLocal({ hostname }: URL): boolean {
  return isLocalAddress(hostname) || hostname === 'localhost' || hostname.endsWith('.localhost')
}

/** True if the host of `url` is an IP address, which needs no name resolution. */
export function isAddress({ hostname }: URL): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
}

/** Ports of other protocols: ports that browsers block (WHATWG Fetch, "bad port"), and ports of data stores. */
const ODD = new Set(
  (
    '1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 139 ' +
    '143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 ' +
    '3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080 ' +
    '445 1433 1521 2375 2379 3306 3389 5432 5672 6379 9042 9092 9200 11211 27017'
  )
    .split(' ')
    .map(Number),
)

/** True if the port of `url` is not one for web servers. */
export function isBlockedPort({ port }: URL): boolean {
  return port !== '' && ODD.has(Number(port))
}
