/** Whether audio was taken: only `true` says so. Anything else may have lost it, and it is better sent again. */
export function fragmentTaken(status: unknown): boolean {
  return status === true
}

/**
 * Whether text was taken. The interface does not say what the status of `text` is, so none at all, and anything that
 * neither is false nor looks like an error, will do.
 */
export function textTaken(status: unknown): boolean {
  return status === undefined || (Boolean(status) && !isErrorObject(status))
}

/** Whether a status itself says what is wrong. */
export function isErrorObject(status: unknown): status is object {
  if (typeof status !== 'object' || status === null || !('error' in status || 'code' in status)) return false
  return Object.values(status).some(value => typeof value === 'string' && value !== '')
}
