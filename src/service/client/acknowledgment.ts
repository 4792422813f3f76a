/** Success values that servers send in a field `code` or `error`. */
const FINE = new Set(['', 'ok', 'success', 'none', 'accepted', 'no_error'])

/**
 * Returns true if a fragment or text was accepted. The interface specifies a boolean for audio and nothing for text;
 * servers also acknowledge with no value, a string or an object. So only false and values that look like an error count
 * as a rejection. `statuses`: all arguments of the acknowledgment.
 */
export function isAccepted(statuses: readonly unknown[]): boolean {
  return !statuses.some(status => status === false || isErrorObject(status))
}

/** True if a status itself describes an error. */
export function isErrorObject(status: unknown): status is object {
  if (typeof status !== 'object' || status === null) return false
  if (status instanceof Error) return true
  const { ok, success, error, code } = status as Record<string, unknown>
  if (ok === false || success === false) return true
  if (ok === true || success === true) return false
  return describesError(error) || describesError(code)
}

function describesError(value: unknown): boolean {
  if (typeof value === 'string') return !FINE.has(value.toLowerCase())
  // Numeric codes as in HTTP: below 400 is success.
  if (typeof value === 'number') return value >= 400
  return value === true || (typeof value === 'object' && value !== null)
}
