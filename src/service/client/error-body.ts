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
const LONGEST = 300
/** A word that can be a code; a sentence is a description. */
const CODE = /^[a-z][\w.-]{0,47}$/

/**
 * Reads a service's error object tolerantly: missing or mistyped fields are empty. The text is truncated and stripped
 * of control characters, because it is logged. A single word is a code.
 */
export function readErrorBody(payload: unknown): ServiceErrorBody {
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
export function mayRetry({ code }: Pick<ServiceErrorBody, 'code'>, status?: number): boolean {
  if (PASSING.has(code)) return true
  if (DEFINITE.has(code) || BAD_INPUT.has(code)) return false
  return status === undefined || status < 400 || status >= 500 || PASSING_STATUS.has(status)
}

/** True if a session that was never open cannot be opened with these parameters. */
export function isDefinite({ code }: Pick<ServiceErrorBody, 'code'>): boolean {
  return DEFINITE.has(code)
}

/** True if the service reports a temporary condition. */
export function isPassing({ code }: Pick<ServiceErrorBody, 'code'>): boolean {
  return PASSING.has(code)
}

function word(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? clean(value).slice(0, 64) : ''
}

function clean(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ').slice(0, LONGEST)
}
