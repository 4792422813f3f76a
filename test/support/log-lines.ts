import type { Logger } from '../../src/common/log.ts'

/** A log that keeps its lines. */
export class LogLines implements Logger {
  readonly all: { level: string; message: string; fields: Record<string, unknown> }[] = []

  /** Warnings and errors, one line each. */
  get complaints(): string[] {
    return this.all
      .filter(({ level }) => level === 'warn' || level === 'error')
      .map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`)
  }

  debug(fields: object, message: string): void {
    this.#keep('debug', fields, message)
  }

  info(fields: object, message: string): void {
    this.#keep('info', fields, message)
  }

  warn(fields: object, message: string): void {
    this.#keep('warn', fields, message)
  }

  error(fields: object, message: string): void {
    this.#keep('error', fields, message)
  }

  #keep(level: string, fields: object, message: string): void {
    this.all.push({ level, message, fields: { ...fields } })
  }
}
