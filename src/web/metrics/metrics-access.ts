import type { FastifyRequest } from 'fastify'
import { isFromThisMachine } from '../../net/this-machine.ts'
import type { BearerKeys } from '../control/bearer-keys.ts'
import { ControlError } from '../control/control-error.ts'
import type { MetricsSettings } from './settings.ts'

/** Throws a `ControlError` if `request` may not read the metrics. `keys`: absent if there are none. */
export function admitReader(
  request: FastifyRequest,
  access: MetricsSettings['access'],
  keys: BearerKeys | undefined,
): void {
  if (access === 'open') return
  const { authorization } = request.headers
  if (access === 'local' && authorization === undefined && isFromThisMachine(request.raw)) return
  if (!keys)
    throw new ControlError(
      'control_closed',
      'the metrics require a key (control.keys) or a request from this machine',
    )
  keys.holderOf(authorization, request.ip)
}
