import { BridgeError, type ErrorCode } from '../../core/errors.ts'
import { ERROR_TABLE, type ErrorName } from './error-table.ts'

/** How an error reaches a client. */
export interface ErrorBody {
  readonly code: string
  readonly error: string
  readonly description: string
}

const LONGEST = 300
/** When there may be room again (s). */
const RETRY_SECONDS = '5'

/** A failure that is told to a client. The description names what was found and what is allowed; no key, no number. */
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

/** Failures of the core, as they are told. Their messages hold no numbers and no secrets, by the rules of logs. */
const KNOWN: Partial<Record<ErrorCode, ErrorName>> = {
  CAPACITY: 'capacity',
  DIAL_SPENT: 'capacity',
  STATE: 'not_now',
  DIAL_REFUSED: 'dial_refused',
  SPEECH_UNAVAILABLE: 'speech_unavailable',
}

/** Any thrown thing as what may be told; a fault that is not ours to explain is `unexpected`. */
export function told(error: unknown): ControlError {
  if (error instanceof ControlError) return error
  const name = error instanceof BridgeError ? KNOWN[error.code] : undefined
  const headers = name === 'capacity' ? { 'retry-after': RETRY_SECONDS } : {}
  if (name) return new ControlError(name, (error as BridgeError).message, headers)
  return new ControlError('unexpected', 'the server failed; its log says why')
}

/** What the framework says of a request that it cannot read. */
export function fromFramework(error: Error & { statusCode?: number }): ControlError {
  const { statusCode = 500 } = error
  if (error instanceof ControlError || error instanceof BridgeError || statusCode >= 500) return told(error)
  if (statusCode === 413) return new ControlError('too_large')
  if (statusCode === 415) return new ControlError('not_json')
  return new ControlError('request_malformed')
}
