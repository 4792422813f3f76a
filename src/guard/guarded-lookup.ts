import { type LookupAllOptions, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isLocalAddress } from './local-address.ts'

/** Finds all addresses of a name, as `dns.lookup` does. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  done: (
    error: NodeJS.ErrnoException | null,
    addresses: readonly { address: string; family: number }[],
  ) => void,
) => void

/** A name that leads where it must not. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'
}

/**
 * A `lookup` for connections: what a name leads to is judged in the moment of connecting, and the connection goes to what was
 * judged, so that a name server which answers otherwise the next time changes nothing. Unless `localAllowed`, a name of
 * which any address is local is refused with `AddressRefused`.
 */
export function guardedLookup(localAllowed: boolean, resolve: Resolve = systemLookup): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '')
      const [first] = found
      if (!first || (!localAllowed && found.some(({ address }) => isLocalAddress(address))))
        return done(new AddressRefused(`${hostname} leads to a local address`), '')
      if (options.all) done(null, [...found])
      else done(null, first.address, first.family)
    })
  }
}

/** Whether `url` names this machine or its network by itself, without a name server: an address, or `localhost`. */
export function isWrittenLocal({ hostname }: URL): boolean {
  return isLocalAddress(hostname) || hostname === 'localhost' || hostname.endsWith('.localhost')
}

/** Whether the host of `url` is an address, for which nothing is looked up. */
export function isAddress({ hostname }: URL): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
}
