/** The part of a pino-shaped logger that is used here. Static message, values in fields; never audio, text or secrets. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Says nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

/**
 * Of something thrown what a log may hold: what kind of error it is, its words, and where it comes from. Libraries hang the
 * request that failed on their errors, with texts, addresses and tokens in it, and a logger would write all of that.
 */
export function thrown(error: unknown): { err: string; reason: string; stack: string; cause?: string } {
  const { name, message, stack = '', cause } = error instanceof Error ? error : new Error(String(error))
  return { err: name, reason: message, stack, ...(cause instanceof Error ? { cause: cause.message } : {}) }
}
