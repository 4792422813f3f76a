import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import { z } from 'zod'
import { addressGroup } from './address-group.ts'

const SAID =
  'an address like 10.0.0.7, a network like 10.0.0.0/8 or fd00::/8, or loopback, linklocal, uniquelocal'

/** Proxies trusted to report client addresses; none by default. */
export const trustedProxiesSchema = z
  .array(z.string().refine(isProxy, SAID))
  .default([])
  .meta({ about: 'Proxies trusted to set `X-Forwarded-For`.' })

/** Determines client addresses from `X-Forwarded-For`, as far as its authors are trusted. */
export class TrustedProxies {
  readonly #trust: ((address: string, hop: number) => boolean) | undefined

  /** Throws `TypeError` for an invalid address, network or network name. */
  constructor(proxies: readonly string[]) {
    this.#trust = proxies.length > 0 ? proxyAddr.compile([...proxies]) : undefined
  }

  /** True if `address` is a trusted proxy. */
  includes(address: string): boolean {
    return this.#trust?.(address, 0) ?? false
  }

  /**
   * Returns the address closest to the client that only trusted proxies reported, or `peer` if it is not a trusted
   * proxy.
   */
  addressOf(peer: string, headers: IncomingHttpHeaders): string {
    if (!this.#trust) return peer
    return proxyAddr({ headers, socket: { remoteAddress: peer } } as unknown as IncomingMessage, this.#trust)
  }
}

/** Groups addresses for limits per address, with exemptions. */
export class Neighbours {
  readonly #exempt: TrustedProxies

  /** `exempt`: addresses and networks of proxies, or otherwise trusted. */
  constructor(exempt: readonly string[]) {
    this.#exempt = new TrustedProxies(exempt)
  }

  /** Returns the group of `address`, or undefined if it is exempt. */
  groupOf(address: string): string | undefined {
    return this.#exempt.includes(address) ? undefined : addressGroup(address)
  }
}

/** True if all `proxies` are on this machine; false for an empty list. */
export function isLoopbackOnly(proxies: readonly string[]): boolean {
  return (
    proxies.length > 0 &&
    proxies.every(each => each === 'loopback' || /^127(\.\d{1,3}){3}(\/\d+)?$|^::1(\/128)?$/.test(each))
  )
}

function isProxy(text: string): boolean {
  try {
    proxyAddr.compile([text])
    return true
  } catch {
    return false
  }
}
