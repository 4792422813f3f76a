import type { ServiceErrorBody } from '../contract.ts'

/** General codes that mean the same request may work later (`docs/contract.md`). */
const RETRYABLE = new Set(['limit', 'engine_failed', 'unavailable', 'session', 'timeout'])
const LONGEST = 300

/**
 * A service's error object read tolerantly: what is missing or of a wrong type is empty. The text is cut and freed of
 * control characters, since it goes to logs.
 */
export function readErrorBody(payload: unknown): ServiceErrorBody {
  const body = typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : {}
  return {
    code: word(body.code),
    error: word(body.error),
    description: typeof body.description === 'string' ? clean(body.description) : '',
  }
}

/** Whether the same again later may work: its general code says so, or it has none. */
export function mayRetry({ code }: Pick<ServiceErrorBody, 'code'>): boolean {
  return !code || RETRYABLE.has(code)
}

function word(value: unknown): string {
  return typeof value === 'string' ? clean(value).slice(0, 64) : ''
}

function clean(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ').slice(0, LONGEST)
}
