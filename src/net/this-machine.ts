import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

const LOOPBACK_ADDRESS = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/
const LOOPBACK_HOST = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d+)?$/i

/** Headers with which proxies, tunnels and CDNs report a forwarded request. */
const FORWARDED =
  /^(?:forwarded|via|x-.*|(?:cf|cdn|fly|fastly|akamai|ali|ar|do|gfe|incap|true-client|client|remote|proxy|ngrok|tailscale|envoy)-.*)$/
/**
 * Exceptions that programs send themselves. Any other `x-` header can come from a proxy; there are too many to list.
 */
const OF_PROGRAMS = /^x-(?:twilio-|prometheus-|api-key$|requested-with$)/

/**
 * True if `request` comes from a program on this machine: not through a local proxy or tunnel, which would forward
 * outside requests, and not for another host name, which a page in a local browser could request. Proxies that add no
 * headers use HTTP/1.0 (nginx by default), which local programs do not.
 */
export function isFromThisMachine({ headers, socket, httpVersion }: IncomingMessage): boolean {
  return (
    LOOPBACK_ADDRESS.test(socket.remoteAddress ?? '') &&
    LOOPBACK_HOST.test(headers.host ?? '') &&
    httpVersion !== '1.0' &&
    !isForwarded(headers)
  )
}

/** True if a request's headers show that it was forwarded. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (FORWARDED.test(name) && !OF_PROGRAMS.test(name)) return true
  return false
}
