import type { ServiceErrorBody } from '../contract.ts'
import { mayRetry, readErrorBody } from './error-body.ts'

/** Failures detected by the client, as `code/error`; all others use the service's own codes. */
export type ClientFault =
  /** No connection, or a lost one. */
  | 'unreachable/connection_failed'
  | 'unreachable/connection_lost'
  /** The service did not respond in time. */
  | 'timeout/no_connection'
  | 'timeout/no_start'
  | 'timeout/no_acknowledgment'
  | 'timeout/no_reply'
  | 'timeout/no_audio'
  /** The service sent a response that the interface does not define. */
  | 'protocol/not_json'
  | 'protocol/no_list'
  | 'protocol/reply_too_large'
  | 'protocol/http_status'
  /** The service sent too many unexpected events. */
  | 'protocol/flood'
  /** A fragment or text was rejected without a reason. */
  | 'refused/not_taken'
  /** The address of streamed audio must not be fetched. */
  | 'blocked/address_not_allowed'
  | 'blocked/redirected'
  | 'blocked/not_audio'
  | 'blocked/too_much_audio'
  /** Too much is being sent, or too little is being read. */
  | 'limit/too_many_waiting'
  | 'limit/reader_too_slow'
  /** The session or request was ended on this side. */
  | 'closed/session_ended'
  | 'closed/aborted'

export interface FailureDetails {
  readonly retryable?: boolean
  /** HTTP status, if any. */
  readonly status?: number
  /** Number of the `send` that failed, from 1. */
  readonly sent?: number
  readonly cause?: unknown
}

/** Every failure that the client reports. Branch on `code` and `error`; `description` may change. */
export class ServiceFailure extends Error {
  /** The general code, for example `bad_file`. Empty if the service sent none. */
  readonly code: string
  /** The specific code, for example `language_not_detected`. */
  readonly error: string
  readonly description: string
  /** True if a retry may succeed. */
  readonly retryable: boolean
  /** Side that reported the failure. */
  readonly by: 'service' | 'client'
  /** HTTP status, if any. */
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

  /** Creates a failure from the service's error object, read tolerantly. */
  static told(payload: unknown, details: FailureDetails = {}): ServiceFailure {
    return new ServiceFailure('service', readErrorBody(payload), details)
  }

  /** Creates a failure detected by the client. It is retryable if it concerns time, limits or reachability. */
  static found(fault: ClientFault, description: string, details: FailureDetails = {}): ServiceFailure {
    const [code = '', error = ''] = fault.split('/')
    const retryable = ['unreachable', 'timeout', 'limit'].includes(code)
    return new ServiceFailure('client', { code, error, description }, { retryable, ...details })
  }

  /** Returns the same failure, attributed to the `send` with this number. */
  ofSend(sent: number): ServiceFailure {
    const { code, error, description, retryable, status, cause } = this
    const details = { retryable, sent, cause, ...(status === undefined ? {} : { status }) }
    return new ServiceFailure(this.by, { code, error, description }, details)
  }
}
