import type { ServiceErrorBody } from '../contract.ts'
import { mayRetry, readErrorBody } from './error-body.ts'

/** What the client itself found, as `code/error`; everything else is in the service's own words. */
export type ClientFault =
  /** No connection, or none any more. */
  | 'unreachable/connection_failed'
  | 'unreachable/connection_lost'
  /** The service did not do its part in time. */
  | 'timeout/no_connection'
  | 'timeout/no_start'
  | 'timeout/no_acknowledgment'
  | 'timeout/no_reply'
  | 'timeout/no_audio'
  /** The service answered something that the interface does not have. */
  | 'protocol/not_json'
  | 'protocol/no_list'
  | 'protocol/reply_too_large'
  | 'protocol/http_status'
  /** … or far too much that it does not have. */
  | 'protocol/flood'
  /** A fragment or text failed, and the service did not say why. */
  | 'refused/not_taken'
  /** The address of streamed audio is not to be fetched. */
  | 'blocked/address_not_allowed'
  | 'blocked/redirected'
  | 'blocked/not_audio'
  | 'blocked/too_much_audio'
  /** More is being sent, or less is being read, than is kept. */
  | 'limit/too_many_waiting'
  | 'limit/reader_too_slow'
  /** The session or request was ended on this side. */
  | 'closed/session_ended'
  | 'closed/aborted'

export interface FailureDetails {
  readonly retryable?: boolean
  /** HTTP status, where there was one. */
  readonly status?: number
  /** Number of the `send` that failed, from 1. */
  readonly sent?: number
  readonly cause?: unknown
}

/** Every failure that the client reports. Branch on `code` and `error`; `description` may change. */
export class ServiceFailure extends Error {
  /** The general code, for example `bad_file`. Empty when the service gave none. */
  readonly code: string
  /** The specific one, for example `language_not_detected`. */
  readonly error: string
  readonly description: string
  /** True when the same again later may work. */
  readonly retryable: boolean
  /** Whose words these are. */
  readonly by: 'service' | 'client'
  /** HTTP status, where there was one. */
  readonly status: number | undefined
  /** Number of the `send` that failed, from 1. */
  readonly sent: number | undefined

  private constructor(by: 'service' | 'client', body: ServiceErrorBody, details: FailureDetails) {
    const codes = [body.code, body.error].filter(Boolean).join('/')
    const text = [codes, body.description].filter(Boolean).join(': ')
    super(
      text || 'an error without a description',
      details.cause === undefined ? {} : { cause: details.cause },
    )
    this.name = 'ServiceFailure'
    this.code = body.code
    this.error = body.error
    this.description = body.description
    this.retryable = details.retryable ?? mayRetry(body, details.status)
    this.by = by
    this.status = details.status
    this.sent = details.sent
  }

  /** What the service said: its error object, read tolerantly. */
  static told(payload: unknown, details: FailureDetails = {}): ServiceFailure {
    return new ServiceFailure('service', readErrorBody(payload), details)
  }

  /** What the client found. Retryable when it is about time, limits or reaching the service. */
  static found(fault: ClientFault, description: string, details: FailureDetails = {}): ServiceFailure {
    const [code = '', error = ''] = fault.split('/')
    const retryable = ['unreachable', 'timeout', 'limit'].includes(code)
    return new ServiceFailure('client', { code, error, description }, { retryable, ...details })
  }

  /** The same failure, of the `send` of this number. */
  ofSend(sent: number): ServiceFailure {
    const { code, error, description, retryable, status, cause } = this
    const details = { retryable, sent, cause, ...(status === undefined ? {} : { status }) }
    return new ServiceFailure(this.by, { code, error, description }, details)
  }
}
