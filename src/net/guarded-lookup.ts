import { type LookupAllOptions, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isLocalAddress } from './local-address.ts'

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
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'
}

/**
 * A `lookup` for connections: checks the resolved addresses at connection time and connects to exactly those, so that a
 * name server that later answers differently cannot bypass the check. Unless `localAllowed`, a name with any local
 * address is rejected with `AddressRefused`.
 */
export function guardedLookup(localAllowed: boolean, resolve: Resolve = systemLookup): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '')
      const [first] = found
      if (!first || (!localAllowed && found.some(({ address }) => isLocalAddress(address))))
        return done(new AddressRefused(`${hostname} resolves to a local address`), '')
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
