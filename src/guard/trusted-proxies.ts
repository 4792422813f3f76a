import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import { z } from 'zod'
import { addressGroup } from '../core/address-group.ts'

const SAID =
  'an address like 10.0.0.7, a network like 10.0.0.0/8 or fd00::/8, or loopback, linklocal, uniquelocal'

/** Proxies whose word is taken for who is behind them; nobody's by default. */
export const trustedProxiesSchema = z
  .array(z.string().refine(isProxy, SAID))
  .default([])
  .meta({ about: 'Proxies whose `X-Forwarded-For` is taken for who is behind them.' })

/** Tells who is behind proxies: by `X-Forwarded-For`, as far as those who wrote it are trusted. */
export class TrustedProxies {
  readonly #trust: ((address: string, hop: number) => boolean) | undefined

  /** Throws `TypeError` for what is no address, network or name of some. */
  constructor(proxies: readonly string[]) {
    this.#trust = proxies.length > 0 ? proxyAddr.compile([...proxies]) : undefined
  }

  /** Whether `address` is one of them. */
  includes(address: string): boolean {
    return this.#trust?.(address, 0) ?? false
  }

  /** The address nearest to the client that was told by trusted proxies alone; that of `peer` when it is none of them. */
  addressOf(peer: string, headers: IncomingHttpHeaders): string {
    if (!this.#trust) return peer
    return proxyAddr({ headers, socket: { remoteAddress: peer } } as unknown as IncomingMessage, this.#trust)
  }
}

/** Tells whose requests and connections are counted together, and whose are not limited one by one. */
export class Neighbours {
  readonly #exempt: TrustedProxies

  /** Addresses and networks that bring others along, or are trusted. */
  constructor(exempt: readonly string[]) {
    this.#exempt = new TrustedProxies(exempt)
  }

  /** Whom `address` is counted with; undefined: it is not limited by itself. */
  groupOf(address: string): string | undefined {
    return this.#exempt.includes(address) ? undefined : addressGroup(address)
  }
}

/** Whether all of `proxies` are on this machine; false for none. */
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
