import type { ErrorName } from './error-table.ts'

/** Counts how often each error of the table was sent to clients. */
export class ErrorCounts {
  readonly #counts = new Map<ErrorName, number>()

  count(error: ErrorName): void {
    this.#counts.set(error, (this.#counts.get(error) ?? 0) + 1)
  }

  get all(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts)
  }
}
