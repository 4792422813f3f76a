import type { Clock } from './clock.ts'
import { TokenBucket } from './rate-limit.ts'

/** The part of the pino logger interface used here. Messages are constant, values go in fields; never log audio, text or secrets. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * A log whose destination is set later, for objects that exist before the application whose log they share. Lines until
 * then are discarded.
 */
export class LateLog implements Logger {
  #log: Logger | undefined

  /** Passes all further lines to `log`. Only the first call has an effect. */
  use(log: Logger): void {
    this.#log ??= log
  }

  debug(fields: object, message: string): void {
    this.#log?.debug(fields, message)
  }

  info(fields: object, message: string): void {
    this.#log?.info(fields, message)
  }

  warn(fields: object, message: string): void {
    this.#log?.warn(fields, message)
  }

  error(fields: object, message: string): void {
    this.#log?.error(fields, message)
  }
}

/** A part of the core that a program creates before the application whose log it should use. */
export interface LogUser {
  /** Makes it log to `log`, unless its creator gave it a log. */
  useLog?(log: Logger): void
}

/** Makes `parts` of a program use the log of its application, unless they have their own. */
export function shareLog(log: Logger, ...parts: readonly (LogUser | undefined)[]): void {
  for (const part of parts) part?.useLog?.(log)
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

/** Returns `fields` without the phone `numbers` of a call, which an error of a program can quote. */
export function withoutNumbers<T extends Record<string, string>>(
  fields: T,
  numbers: readonly string[] = [],
): T {
  const digits = numbers.map(number => number.replace(/\D/g, '')).filter(({ length }) => length >= 5)
  const masked = (text: string) =>
    digits
      .reduce((shown, number) => shown.replaceAll(number, '…'), text)
      .replace(/\+\d[\d .()-]{5,}\d/g, '+…')
  return Object.fromEntries(Object.entries(fields).map(([key, text]) => [key, masked(text)])) as T
}

/** Limits for lines with the same message. */
const RATE = { burst: 50, perSecond: 5 }
/** Maximum number of messages that are limited separately. Messages are static, so a program has far fewer. */
const MAX_MESSAGES = 1_000

interface Limited {
  readonly bucket: TokenBucket
  /** Number of lines suppressed since the last one. */
  suppressed: number
}

/**
 * Returns a rate-limited log for events that clients can cause, so that a flood of requests does not flood the log. Lines
 * are limited per message; the field `suppressed` of the next line has the number of dropped lines. Errors always pass.
 */
export function limitedLog(log: Logger, clock: Clock): Logger {
  const messages = new Map<string, Limited>()
  const limited =
    (level: 'debug' | 'info' | 'warn') =>
    (fields: object, message: string): void => {
      let entry = messages.get(message)
      if (!entry) {
        if (messages.size >= MAX_MESSAGES) messages.clear()
        entry = { bucket: new TokenBucket(RATE.perSecond, RATE.burst, clock.now()), suppressed: 0 }
        messages.set(message, entry)
      }
      if (entry.bucket.take(clock.now()) < 0) {
        entry.suppressed++
        return
      }
      const { suppressed } = entry
      entry.suppressed = 0
      log[level](suppressed > 0 ? { ...fields, suppressed } : fields, message)
    }
  return {
    debug: limited('debug'),
    info: limited('info'),
    warn: limited('warn'),
    error: (fields, message) => log.error(fields, message),
  }
}
