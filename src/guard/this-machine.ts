import type { IncomingMessage } from 'node:http'

const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/
const LOOPBACK_HOST = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d+)?$/i

/** Headers by which proxies and tunnels say that somebody is behind them. */
const FORWARDED = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-server',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
]

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
    FORWARDED.every(name => headers[name] === undefined)
  )
}
