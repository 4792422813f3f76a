/** The part of the pino logger interface used here. Messages are constant, values go in fields; never log audio, text or secrets. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Discards everything. */
export const noopLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/**
 * Returns the fields of an error that are safe to log: name, message, stack and cause. Libraries attach the failed request
 * to their errors, with texts, addresses and tokens, and a logger would write all of it.
 */
export function errorFields(error: unknown): { err: string; reason: string; stack: string; cause?: string } {
  const { name, message, stack = '', cause } = error instanceof Error ? error : new Error(String(error))
  return { err: name, reason: message, stack, ...(cause instanceof Error ? { cause: cause.message } : {}) }
}
