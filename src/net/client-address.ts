import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import { z } from 'zod'

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/

/** True if `host`, as in a URL or without brackets, is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host)
}

/** Returns the address at which this machine reaches its own server that listens at `host`. */
export function reachableUrl(host: string, port: number): string {
  const near = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`
}

const BYTE = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const IPV4 = new RegExp(`^${BYTE}(\\.${BYTE}){3}$`)

/** Leading 16-bit words of an IPv6 address that a provider assigns to one customer, who can change the rest at any time. */
const NETWORK_WORDS = 4

/**
 * Returns the key under which requests from `address` are counted: the IPv4 address (also if it is
 * mapped to IPv6), or the /64 network of an IPv6 address. All other values share one key.
 */
export function addressPrefix(address: string | undefined): string {
  const bare = (address ?? '').split('%')[0]!.toLowerCase()
  if (IPV4.test(bare)) return bare
  if (!/^[\da-f.]*:[\da-f:.]*$/.test(bare) || !URL.canParse(`http://[${bare}]`)) return 'elsewhere'
  const mapped = /^(?:0*:)*:?ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1]
  return mapped ?? `${words(bare).slice(0, NETWORK_WORDS).join(':')}::/64`
}

/** Returns the eight words of an IPv6 address, without leading zeros. */
function words(address: string): string[] {
  const [head = '', tail] = address.replace(/\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/, '0:0').split('::')
  const parts = (text: string) => (text === '' ? [] : text.split(':'))
  const front = parts(head)
  const back = parts(tail ?? '')
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0')
  return [...front, ...(tail === undefined ? [] : zeros), ...back].map(word => word.replace(/^0+(?=.)/, ''))
}

const LOOPBACK_ADDRESS = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/
const LOOPBACK_HOST = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d+)?$/i

/** True if `address`, as a socket reports it, is on this machine. */
export function isLoopbackAddress(address: string): boolean {
  return LOOPBACK_ADDRESS.test(address)
}

/** True if a `Host` header names this machine. */
export function namesLoopback(host: string): boolean {
  return LOOPBACK_HOST.test(host)
}

/** Headers with which proxies, tunnels and CDNs report a forwarded request. */
const FORWARDED =
  /^(?:forwarded|via|x-.*|(?:cf|cdn|fly|fastly|akamai|ali|ar|do|gfe|incap|true-client|client|remote|proxy|ngrok|tailscale|envoy)-.*)$/
/**
 * Exceptions that programs send themselves. Any other `x-` header can come from a proxy; there are too many to list.
 */
const OF_PROGRAMS = /^x-(?:twilio-|signalwire-|plivo-|prometheus-|api-key$|requested-with$)/

/**
 * True if `request` comes from a program on this machine: not through a local proxy or tunnel, which would forward
 * outside requests, and not for another host name, which a page in a local browser could request. Proxies that add no
 * headers use HTTP/1.0 (nginx by default), which local programs do not.
 */
export function isLocalRequest({ headers, socket, httpVersion }: IncomingMessage): boolean {
  return (
    isLoopbackAddress(socket.remoteAddress ?? '') &&
    namesLoopback(headers.host ?? '') &&
    httpVersion !== '1.0' &&
    !isForwarded(headers)
  )
}

/** True if a request's headers show that it was forwarded. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (FORWARDED.test(name) && !OF_PROGRAMS.test(name)) return true
  return false
}

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
export class AddressGroups {
  readonly #exempt: TrustedProxies

  /** `exempt`: addresses and networks of proxies, or otherwise trusted. */
  constructor(exempt: readonly string[]) {
    this.#exempt = new TrustedProxies(exempt)
  }

  /** Returns the group of `address`, or undefined if it is exempt. */
  groupOf(address: string): string | undefined {
    return this.#exempt.includes(address) ? undefined : addressPrefix(address)
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
