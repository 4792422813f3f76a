import type { ServiceErrorBody } from '../contract.ts'

/** General codes that mean the same request may work soon (`docs/service/protocol.md`). */
const PASSING = new Set(['limit', 'engine_failed', 'unavailable', 'session', 'timeout'])
/** … that a session of these parameters cannot be: nothing but a change of them, or of the service, helps. */
const DEFINITE = new Set(['bad_parameter', 'bad_namespace', 'engine_missing', 'unauthorized'])
/** … that this input cannot be worked on. */
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
/** A word that can be a code: a sentence is a description. */
const CODE = /^[a-z][\w.-]{0,47}$/

/**
 * A service's error object read tolerantly: what is missing or of a wrong type is empty. The text is cut and freed of
 * control characters, since it goes to logs. One word alone is a code.
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
 * Whether the same again later may work. The interface leaves the codes open, so one that is not known is taken for
 * temporary, unless the HTTP status says that the request itself is wrong.
 */
export function mayRetry({ code }: Pick<ServiceErrorBody, 'code'>, status?: number): boolean {
  if (PASSING.has(code)) return true
  if (DEFINITE.has(code) || BAD_INPUT.has(code)) return false
  return status === undefined || status < 400 || status >= 500 || PASSING_STATUS.has(status)
}

/** Whether a session that was never open cannot be: asking again for the same is of no use. */
export function isDefinite({ code }: Pick<ServiceErrorBody, 'code'>): boolean {
  return DEFINITE.has(code)
}

/** Whether the service itself says that it will pass soon. */
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
