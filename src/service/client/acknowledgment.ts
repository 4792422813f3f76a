/** Statuses by which servers say that all is well, where they say it in a field `code` or `error`. */
const FINE = new Set(['', 'ok', 'success', 'none', 'accepted', 'no_error'])

/**
 * Whether what was sent was taken. The interface has a boolean for audio and shows nothing for text; servers also
 * acknowledge with nothing, with words, or with objects. So only false and what looks like an error refuse. `statuses`:
 * all arguments of the acknowledgment.
 */
export function taken(statuses: readonly unknown[]): boolean {
  return !statuses.some(status => status === false || isErrorObject(status))
}

/** Whether a status itself says what is wrong. */
export function isErrorObject(status: unknown): status is object {
  if (typeof status !== 'object' || status === null) return false
  if (status instanceof Error) return true
  const { ok, success, error, code } = status as Record<string, unknown>
  if (ok === false || success === false) return true
  if (ok === true || success === true) return false
  return tellsError(error) || tellsError(code)
}

function tellsError(value: unknown): boolean {
  if (typeof value === 'string') return !FINE.has(value.toLowerCase())
  // Codes like those of HTTP: below 400 nothing is wrong.
  if (typeof value === 'number') return value >= 400
  return value === true || (typeof value === 'object' && value !== null)
}
