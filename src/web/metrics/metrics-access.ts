import type { FastifyRequest } from 'fastify'
import type { BearerKeys } from '../control/bearer-keys.ts'
import { ControlError } from '../control/control-error.ts'
import type { MetricsSettings } from './metrics-settings.ts'

/** Headers by which a proxy says that somebody is behind it. */
const FORWARDED = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
]

const LOOPBACK = /^(::ffff:)?127\.|^::1$/
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i

/** Throws a `ControlError` when `request` may not read the metrics. `keys`: absent where there are none. */
export function admitReader(
  request: FastifyRequest,
  access: MetricsSettings['access'],
  keys: BearerKeys | undefined,
): void {
  if (access === 'open') return
  const { authorization } = request.headers
  if (access === 'local' && authorization === undefined && isLocal(request)) return
  if (!keys)
    throw new ControlError('control_closed', 'no key in control.keys, and not asked from this machine itself')
  keys.holderOf(authorization, request.ip)
}

/** From this machine, by its own name, and not on behalf of somebody else: a page in a browser could know another name. */
function isLocal({ headers, socket }: FastifyRequest): boolean {
  if (!LOOPBACK.test(socket.remoteAddress ?? '')) return false
  return LOOPBACK_HOST.test(headers.host ?? '') && FORWARDED.every(name => headers[name] === undefined)
}
