import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Requests to end this process, from when this is made. While something is still being started they end the process at
 * once, and with it what it has started; afterwards the first one is granted time, the second ends it at once.
 */
export class StopSignal {
  readonly #asked = Promise.withResolvers<void>()
  #patient = false

  constructor() {
    for (const signal of SIGNALS)
      process.on(signal, () => {
        if (!this.#patient) process.exit(128 + constants.signals[signal])
        this.#patient = false
        this.#asked.resolve()
      })
  }

  /** Everything has started; settles at the first request from now on. */
  started(): Promise<void> {
    this.#patient = true
    return this.#asked.promise
  }
}
