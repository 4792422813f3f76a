import type { FastifyRequest } from 'fastify'
import { isFromThisMachine } from '../../guard/this-machine.ts'
import type { BearerKeys } from '../control/bearer-keys.ts'
import { ControlError } from '../control/control-error.ts'
import type { MetricsSettings } from './metrics-settings.ts'

/** Throws a `ControlError` when `request` may not read the metrics. `keys`: absent where there are none. */
export function admitReader(
  request: FastifyRequest,
  access: MetricsSettings['access'],
  keys: BearerKeys | undefined,
): void {
  if (access === 'open') return
  const { authorization } = request.headers
  if (access === 'local' && authorization === undefined && isFromThisMachine(request.raw)) return
  if (!keys)
    throw new ControlError('control_closed', 'no key in control.keys, and not asked from this machine itself')
  keys.holderOf(authorization, request.ip)
}
