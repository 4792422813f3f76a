import { BridgeError } from '../../core/errors.ts'
import { mayRetry, readErrorBody } from './error-body.ts'

/** A service's error object as the relay's error. */
export function serviceError(payload: unknown): BridgeError {
  const body = readErrorBody(payload)
  const parts = [body.code, body.error].filter(Boolean).join('/')
  const text = [parts, body.description].filter(Boolean).join(': ') || 'an error without a description'
  return new BridgeError('SERVICE_REFUSED', text, { retryable: mayRetry(body) })
}
