/** The part of a pino-shaped logger that is used here. Static message, values in fields; never audio, text or secrets. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Says nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }
