import { BridgeError, type BridgeErrorOptions, type ErrorCode } from '../../common/errors.ts'
import { isDefinite, isPassing } from './error-body.ts'
import type { ServiceFailure } from './service-failure.ts'

/** Error codes of the relay, by the general code of a client failure. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  timeout: 'SERVICE_SILENT',
  protocol: 'SERVICE_PROTOCOL',
  unreachable: 'SERVICE_UNREACHABLE',
}

/** Shape of a code; other text may quote the call. */
const SAFE_CODE = /^[\w.-]{1,48}$/

/**
 * Converts a failure to the relay's error; `cause` is the failure. Of an error that the service reported, the message
 * has only the codes: messages are logged, and a description may quote speech, or a key.
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

/** Retry options after an error that ended a session: only errors known to be permanent prevent a retry. */
function session(failure: ServiceFailure): BridgeErrorOptions {
  return { retryable: !isDefinite(failure), backOff: isPassing(failure) ? 'fast' : 'slow' }
}

function codesOf({ code, error }: ServiceFailure): string {
  const codes = [code, error].filter(each => SAFE_CODE.test(each))
  return codes.length > 0 ? codes.join('/') : 'an error without a code'
}
