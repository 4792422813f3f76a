import { type Log, silentLog } from '../common/log.ts'

/** The fields of the embedded service's log lines about engines. */
interface EngineFields {
  readonly kind?: unknown
  readonly reason?: unknown
  readonly instead?: unknown
}

/**
 * A logger for the embedded service that collects what users need to know about the result: which configured engine
 * failed and which engine replaced it. Keeps each warning once.
 */
export class EngineWarnings {
  readonly #warnings = new Set<string>()

  readonly log: Log = {
    ...silentLog,
    warn: (fields: EngineFields, message: string) => {
      // The reason starts with the name of the engine.
      if (message === 'engine failed')
        this.#warnings.add(`${fields.kind}: ${fields.reason}; ${fields.instead} was used instead`)
      if (message === 'engine not available') this.#warnings.add(`${fields.kind}: ${fields.reason}`)
    },
  }

  get all(): readonly string[] {
    return [...this.#warnings]
  }
}
