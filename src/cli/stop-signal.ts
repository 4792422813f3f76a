import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Requests to end this process, from the creation of this object. During startup, a request ends the process at once,
 * with everything that it started. Afterwards, the first request grants time, and the last one ends the process at
 * once:
 *
 * starting ──started──▶ patient ──SIGTERM──▶ asked ──any──▶ hurried ──any──▶ exit
 * └──SIGINT, or without patience──────▲
 */
export class StopSignal {
  /** Settles when only the time for closing remains. */
  readonly hurried: Promise<void>
  readonly #asked = Promise.withResolvers<void>()
  readonly #hurried = Promise.withResolvers<void>()
  #state: 'starting' | 'patient' | 'asked' | 'hurried' = 'starting'
  #drains = false

  constructor() {
    this.hurried = this.#hurried.promise
    for (const signal of SIGNALS) process.on(signal, () => this.#got(signal))
  }

  /**
   * Startup is complete; settles at the first request from now on. With `drains`, SIGTERM grants time for calls in
   * progress.
   */
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
