import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Requests to end this process, from when this is made. While something is still being started they end the process at
 * once, and with it what it has started; afterwards the first one is granted time, and the last one ends it at once:
 *
 *   starting ──started──▶ patient ──SIGTERM──▶ asked ──any──▶ hurried ──any──▶ exit
 *                           └──SIGINT, or without patience──────▲
 */
export class StopSignal {
  /** Settles when there is no more time than it takes to end. */
  readonly hurried: Promise<void>
  readonly #asked = Promise.withResolvers<void>()
  readonly #hurried = Promise.withResolvers<void>()
  #state: 'starting' | 'patient' | 'asked' | 'hurried' = 'starting'
  #drains = false

  constructor() {
    this.hurried = this.#hurried.promise
    for (const signal of SIGNALS) process.on(signal, () => this.#got(signal))
  }

  /** Everything has started; settles at the first request from now on. With `drains`, SIGTERM leaves time for what goes on. */
  started({ drains = false } = {}): Promise<void> {
    this.#state = 'patient'
    this.#drains = drains
    return this.#asked.promise
  }

  #got(signal: (typeof SIGNALS)[number]): void {
    if (this.#state === 'starting' || this.#state === 'hurried') process.exit(128 + constants.signals[signal])
    if (this.#state === 'patient' && signal === 'SIGTERM' && this.#drains) this.#state = 'asked'
    else {
      this.#state = 'hurried'
      this.#hurried.resolve()
    }
    this.#asked.resolve()
  }
}
