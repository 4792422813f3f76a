import type { ServiceErrorBody } from '../contract.ts'
import { ERROR_TABLE, type ErrorName } from './error-table.ts'

/** A failure that is told to a client. The description names what was found and what is allowed, never a key. */
export class ServiceError extends Error {
  readonly specific: ErrorName
  /** Shape in which Socket.IO hands a refused connection's reason to the client. */
  readonly data: ServiceErrorBody

  /** When it may be worth trying again (ms from now), where that is known. */
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

  /** Whether the connection ends with it. */
  get fatal(): boolean {
    return ERROR_TABLE[this.specific].socket !== 'error'
  }
}

/** Any thrown thing as what may be told: a fault that is not ours to explain becomes `unexpected`. */
export function told(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  return new ServiceError('unexpected', 'the service failed; its log says why', { cause: error })
}
