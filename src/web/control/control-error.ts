import { BridgeError, type ErrorCode } from '../../common/errors.ts'
import { ERROR_TABLE, type ErrorName } from './error-table.ts'

/** Error body sent to clients. */
export interface ErrorBody {
  readonly code: string
  readonly error: string
  readonly description: string
}

const LONGEST = 300
/** Delay before a retry is worthwhile (s). */
const RETRY_SECONDS = '5'

/**
 * An error for clients. The description states the value found and the allowed ones; it never contains keys or phone
 * numbers.
 */
export class ControlError extends Error {
  readonly specific: ErrorName
  readonly headers: Readonly<Record<string, string>>

  constructor(
    specific: ErrorName,
    description: string = ERROR_TABLE[specific].cause,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(description.replace(/\p{Cc}+/gu, ' ').slice(0, LONGEST))
    this.name = 'ControlError'
    this.specific = specific
    this.headers = headers
  }

  get status(): number {
    return ERROR_TABLE[this.specific].status
  }

  get body(): ErrorBody {
    return { code: ERROR_TABLE[this.specific].code, error: this.specific, description: this.message }
  }
}

/**
 * Errors of the core with their specific codes. By the rules for logs, their messages contain no phone numbers or
 * secrets.
 */
const KNOWN: Partial<Record<ErrorCode, ErrorName>> = {
  CAPACITY: 'capacity',
  DIAL_SPENT: 'capacity',
  STATE: 'not_now',
  DIAL_REFUSED: 'dial_refused',
  SPEECH_UNAVAILABLE: 'speech_unavailable',
}

/** Converts any thrown value to an error for clients; unexpected faults become `unexpected`. */
export function told(error: unknown): ControlError {
  if (error instanceof ControlError) return error
  const name = error instanceof BridgeError ? KNOWN[error.code] : undefined
  const headers = name === 'capacity' ? { 'retry-after': RETRY_SECONDS } : {}
  if (name) return new ControlError(name, (error as BridgeError).message, headers)
  return new ControlError('unexpected', 'internal error; see the server log')
}

/** Converts the framework’s error for a malformed request. */
export function fromFramework(error: Error & { statusCode?: number }): ControlError {
  const { statusCode = 500 } = error
  if (error instanceof ControlError || error instanceof BridgeError || statusCode >= 500) return told(error)
  if (statusCode === 413) return new ControlError('too_large')
  if (statusCode === 415) return new ControlError('not_json')
  return new ControlError('request_malformed')
}
