import { BridgeError, type BridgeErrorOptions, type ErrorCode } from '../../core/errors.ts'
import { isDefinite, isPassing } from './error-body.ts'
import type { ServiceFailure } from './service-failure.ts'

/** What the client found, by its general code, as the relay calls it. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  timeout: 'SERVICE_SILENT',
  protocol: 'SERVICE_PROTOCOL',
  unreachable: 'SERVICE_UNREACHABLE',
}

/** What a code looks like; anything else may be words of the call. */
const CODE = /^[\w.-]{1,48}$/

/**
 * A failure of the service as the relay's error, which knows no service; `cause` is the failure. Of what the service said
 * only the codes are in the message: it goes into logs, and a description may quote what people said, or a key.
 */
export function bridgeError(failure: ServiceFailure): BridgeError {
  const { by, code, error, retryable } = failure
  const own = error === 'connection_lost' ? 'SERVICE_LOST' : (CODES[code] ?? 'SERVICE_REFUSED')
  const told = by === 'service'
  return new BridgeError(
    told ? 'SERVICE_REFUSED' : own,
    told ? `the service reports ${codesOf(failure)}` : failure.description,
    told ? { ...session(failure), cause: failure } : { retryable, cause: failure },
  )
}

/** What an error that a session ends with says about the next attempt: only what is known to be definite is. */
function session(failure: ServiceFailure): BridgeErrorOptions {
  return { retryable: !isDefinite(failure), backOff: isPassing(failure) ? 'fast' : 'slow' }
}

function codesOf({ code, error }: ServiceFailure): string {
  const codes = [code, error].filter(each => CODE.test(each))
  return codes.length > 0 ? codes.join('/') : 'an error without a code'
}
