import { BridgeError } from '../../core/errors.ts'

/** General codes that mean the same request may work later (`docs/contract.md`). */
const RETRYABLE = new Set(['limit', 'engine_failed', 'unavailable', 'session', 'timeout'])
const LONGEST = 300

/**
 * A service's error object as our error: `{ code, error, description }` read tolerantly; the text is cut and freed of
 * control characters, since it goes to logs. Retryable when its general code says so, or when it has none.
 */
export function serviceError(payload: unknown): BridgeError {
  const body = typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : {}
  const code = word(body.code)
  const parts = [code, word(body.error)].filter(Boolean).join('/')
  const description = typeof body.description === 'string' ? clean(body.description) : ''
  const text = [parts, description].filter(Boolean).join(': ') || 'an error without a description'
  return new BridgeError('SERVICE_REFUSED', text, { retryable: !code || RETRYABLE.has(code) })
}

function word(value: unknown): string {
  return typeof value === 'string' ? clean(value).slice(0, 64) : ''
}

function clean(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ').slice(0, LONGEST)
}
