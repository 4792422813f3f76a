import type { ServiceErrorBody } from '../contract.ts'
import { ERROR_TABLE, type ErrorName } from './error-table.ts'

/**
 * A failure that is reported to a client. The description names the value found and the values allowed, never a key.
 */
export class ServiceError extends Error {
  readonly specific: ErrorName
  /** Property in which Socket.IO passes the reason of a rejected connection to the client. */
  readonly data: ServiceErrorBody

  /** Time after which a retry can succeed (ms), if known. */
  readonly retryAfterMs: number | undefined

  constructor(
    specific: ErrorName,
    description: string,
    options: { cause?: unknown; retryAfterMs?: number } = {},
  ) {
    super(description, 'cause' in options ? { cause: options.cause } : undefined)
    this.retryAfterMs = options.retryAfterMs
    this.name = 'ServiceError'
    this.specific = specific
    this.data = { code: ERROR_TABLE[specific].code, error: specific, description }
  }

  get status(): number {
    return ERROR_TABLE[this.specific].status || 400
  }

  /** True if the error ends the connection. */
  get fatal(): boolean {
    return ERROR_TABLE[this.specific].socket !== 'error'
  }
}

/** Converts any thrown value to an error for the client; internal faults become `unexpected`. */
export function told(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  return new ServiceError('unexpected', 'the service failed: see its log', { cause: error })
}
