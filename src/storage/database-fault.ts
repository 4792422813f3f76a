/** Returns the reason of a failure of a database or of its disk: never values of a statement. */
export function faultOf(error: unknown): string {
  const { code = '', message, errstr } = error as { code?: string; message: string; errstr?: string }
  return errstr ?? (/^E[A-Z]+$/.test(code) ? code : message)
}
