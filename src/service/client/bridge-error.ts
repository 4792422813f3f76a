import { BridgeError, type ErrorCode } from '../../core/errors.ts'
import type { ServiceFailure } from './service-failure.ts'

/** What the client found, by its general code, as the relay calls it. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  timeout: 'SERVICE_SILENT',
  protocol: 'SERVICE_PROTOCOL',
  unreachable: 'SERVICE_UNREACHABLE',
}

/** A failure of the service as the relay's error, which knows no service; `cause` is the failure. */
export function bridgeError(failure: ServiceFailure): BridgeError {
  const { by, code, error, retryable } = failure
  const own = error === 'connection_lost' ? 'SERVICE_LOST' : (CODES[code] ?? 'SERVICE_REFUSED')
  const told = by === 'service'
  return new BridgeError(told ? 'SERVICE_REFUSED' : own, told ? failure.message : failure.description, {
    retryable,
    cause: failure,
  })
}
