import { BridgeError, type BridgeErrorOptions, type ErrorCode } from '../../common/errors.ts'
import type { ServiceErrorBody } from '../contract.ts'

/** General codes after which the same request may soon succeed (`docs/service/protocol.md`). */
const PASSING = new Set(['limit', 'engine_failed', 'unavailable', 'session', 'timeout'])
/**
 * General codes for a session that cannot exist with these parameters; a retry needs other parameters or a change of
 * the service.
 */
const DEFINITE = new Set(['bad_parameter', 'bad_namespace', 'engine_missing', 'unauthorized'])
/** General codes for input that cannot be processed. */
const BAD_INPUT = new Set([
  'bad_file',
  'bad_text',
  'bad_audio',
  'bad_event',
  'bad_request',
  'not_found',
  'not_ready',
])
/** HTTP statuses below 500 that say nothing about the request itself. */
const PASSING_STATUS = new Set([408, 423, 425, 429])
/** Words in codes for a service without a free session. The interface does not fix the codes. */
const FULL = /too_many|sessions_taken|capacity|concurren|\bfull\b|\bbusy\b/
const LONGEST = 300
/** A word that can be a code; a sentence is a description. */
const CODE = /^[a-z][\w.-]{0,47}$/

/** Codes of an error to which the service gave none. */
const NO_CODE = 'refused'
export const WITHOUT_CODE = 'without_code'

/**
 * Reads a service's error object tolerantly: missing or mistyped fields are empty. The text is truncated and stripped
 * of control characters, because it is logged. A single word is a code; without any, it is `refused/without_code`.
 */
function readErrorBody(payload: unknown): ServiceErrorBody {
  const { code, error, description } = fieldsOf(payload)
  if (code !== '' || error !== '') return { code: code || NO_CODE, error, description }
  return { code: NO_CODE, error: WITHOUT_CODE, description }
}

function fieldsOf(payload: unknown): ServiceErrorBody {
  if (typeof payload === 'string')
    return CODE.test(payload)
      ? { code: payload, error: '', description: '' }
      : { code: '', error: '', description: clean(payload) }
  const body = typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : {}
  const description = body.description ?? body.message
  return {
    code: word(body.code),
    error: word(body.error),
    description: typeof description === 'string' ? clean(description) : '',
  }
}

/**
 * True if a retry may succeed. The interface does not fix the codes, so unknown ones count as temporary, unless the
 * HTTP status says that the request itself is wrong.
 */
function mayRetry({ code }: Pick<ServiceErrorBody, 'code'>, status?: number): boolean {
  if (PASSING.has(code)) return true
  if (DEFINITE.has(code) || BAD_INPUT.has(code)) return false
  return status === undefined || status < 400 || status >= 500 || PASSING_STATUS.has(status)
}

/** True if a session that was never open cannot be opened with these parameters. */
function isDefinite({ code }: Pick<ServiceErrorBody, 'code'>): boolean {
  return DEFINITE.has(code)
}

/** True if the service reports a temporary condition. */
function isPassing({ code }: Pick<ServiceErrorBody, 'code'>): boolean {
  return PASSING.has(code)
}

function word(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? clean(value).slice(0, 64) : ''
}

function clean(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ').slice(0, LONGEST)
}

/** Error codes of the relay, by the general code of a client failure. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  timeout: 'SERVICE_SILENT',
  protocol: 'SERVICE_PROTOCOL',
  unreachable: 'SERVICE_UNREACHABLE',
}

/** Shape of a code; other text may quote the call. */
const SAFE_CODE = /^[\w.-]{1,48}$/

/**
 * Codes of services that accept no request with this key: it is wrong, missing, expired or blocked, or its quota is used
 * up. The interface does not fix the codes, so common spellings count, and HTTP statuses of gateways.
 */
const KEY_REFUSED =
  /^(40[123])$|unauthori[sz]ed|unauthenticated|forbidden|auth(entication|orization)?_(failed|error|required)|(key|token)_?(missing|wrong|invalid|revoked|expired|disabled|unknown|required)|(missing|wrong|invalid|bad|expired|unknown)_?(api_?)?(key|token|credentials)|quota|payment_required|insufficient_(credit|balance|funds)|out_of_credits?|minutes_used_up|too_many_attempts/i

/** True if the service refuses the key, so that every session with it fails. */
function keyRefused({ by, code, error, status }: ServiceClientError): boolean {
  if (status === 401 || status === 402 || status === 403) return true
  return by === 'service' && (KEY_REFUSED.test(code) || KEY_REFUSED.test(error))
}

/**
 * Converts a failure to the relay's error; `cause` is the failure. Of an error that the service reported, the message
 * has only the codes: messages are logged, and a description may quote speech, or a key.
 */
export function toBridgeError(failure: ServiceClientError): BridgeError {
  const { by, code, error, status, retryable } = failure
  if (keyRefused(failure)) {
    const why = by === 'service' ? codesOf(failure) : `HTTP ${status}`
    return new BridgeError('SERVICE_KEY_REFUSED', `the service refuses the API key: ${why}`, {
      cause: failure,
    })
  }
  const own = error === 'connection_lost' ? 'SERVICE_LOST' : (CODES[code] ?? 'SERVICE_REFUSED')
  const told = by === 'service'
  return new BridgeError(
    told ? 'SERVICE_REFUSED' : own,
    told ? `the service reports ${codesOf(failure)}` : failure.description,
    told ? { ...session(failure), cause: failure } : { retryable, cause: failure },
  )
}

/** Retry options after an error that ended a session: only errors known to be permanent prevent a retry. */
function session(failure: ServiceClientError): BridgeErrorOptions {
  return {
    retryable: !isDefinite(failure),
    backOff: isPassing(failure) ? 'fast' : 'slow',
    full: !isDefinite(failure) && (FULL.test(failure.code) || FULL.test(failure.error)),
  }
}

function codesOf({ code, error }: ServiceClientError): string {
  const codes = [code, error].filter(each => SAFE_CODE.test(each))
  return codes.length > 0 ? codes.join('/') : 'an error without a code'
}

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
  /** The service has no such namespace, probably because its Socket.IO has another path. */
  | 'protocol/wrong_path'
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
export class ServiceClientError extends Error {
  /** The general code, for example `bad_file`; `refused` if the service sent none. */
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
    this.name = 'ServiceClientError'
    this.code = body.code
    this.error = body.error
    this.description = body.description
    this.retryable = details.retryable ?? mayRetry(body, details.status)
    this.by = by
    this.status = details.status
    this.sent = details.sent
  }

  /** Creates a failure from the service's error object, read tolerantly. */
  static told(payload: unknown, details: FailureDetails = {}): ServiceClientError {
    return new ServiceClientError('service', readErrorBody(payload), details)
  }

  /** Creates a failure detected by the client. It is retryable if it concerns time, limits or reachability. */
  static found(fault: ClientFault, description: string, details: FailureDetails = {}): ServiceClientError {
    const [code = '', error = ''] = fault.split('/')
    const retryable = ['unreachable', 'timeout', 'limit'].includes(code)
    return new ServiceClientError('client', { code, error, description }, { retryable, ...details })
  }

  /** True if the service does not accept the key: a retry needs another one. */
  get keyRefused(): boolean {
    return (
      this.by === 'service' && (this.code === 'unauthorized' || this.status === 401 || this.status === 403)
    )
  }

  /** Returns the same failure, attributed to the `send` with this number. */
  ofSend(sent: number): ServiceClientError {
    const { code, error, description, retryable, status, cause } = this
    const details = { retryable, sent, cause, status }
    return new ServiceClientError(this.by, { code, error, description }, details)
  }
}
