import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/
const LOOPBACK_HOST = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d+)?$/i

/** Headers by which proxies, tunnels and delivery networks say that somebody is behind them. */
const FORWARDED =
  /^(?:forwarded|via|x-.*|(?:cf|cdn|fly|fastly|akamai|ali|ar|do|gfe|incap|true-client|client|remote|proxy|ngrok|tailscale|envoy)-.*)$/
/** Those of them that programs send for themselves. Any other `x-` may be of a proxy, of which there are more than can be listed. */
const OF_PROGRAMS = /^x-(?:twilio-|prometheus-|api-key$|requested-with$)/

/**
 * Whether `request` is from a program on this machine, for itself: not from a proxy or tunnel here, which would bring the
 * whole world along, and not for another host's name, which a page in a browser here could ask for. A proxy that says nothing at
 * all speaks HTTP/1.0 (nginx does when nobody told it otherwise), which no program that is meant here does.
 */
export function isFromThisMachine({ headers, socket, httpVersion }: IncomingMessage): boolean {
  return (
    LOOPBACK.test(socket.remoteAddress ?? '') &&
    LOOPBACK_HOST.test(headers.host ?? '') &&
    httpVersion !== '1.0' &&
    !isForwarded(headers)
  )
}

/** Whether anything in the head of a request says that somebody handed it on. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (FORWARDED.test(name) && !OF_PROGRAMS.test(name)) return true
  return false
}
