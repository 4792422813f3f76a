import { BlockList, isIP } from 'node:net'

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
