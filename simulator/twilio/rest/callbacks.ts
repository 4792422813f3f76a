import { randomUUID } from 'node:crypto'
import { type Clock, setTimer } from '../../../src/common/clock.ts'
import type { PhoneProfile } from '../phone/profile.ts'
import { askWebhook, type Route, routeOf } from '../phone/request.ts'
import type { Callback } from './call-order.ts'

/** Faults of callback delivery; changeable at any time. */
export interface CallbackFaults {
  /** Delivers every callback twice, with the same idempotency token. */
  duplicate?: boolean
  /** Delivers in pairs, the later one first. */
  reorder?: boolean
  /** Does not deliver. */
  lose?: boolean
}

export interface CallbackOptions {
  readonly clock: Clock
  readonly authToken: string
  readonly profile?: PhoneProfile | undefined
  readonly faults: CallbackFaults
  /** Options for finding the route to the bridge. */
  readonly route: Omit<Parameters<typeof routeOf>[1], 'webhook'>
}

/** An event to deliver. */
export interface Telling {
  readonly to: Callback
  readonly fields: Readonly<Record<string, string>>
}

/** Delivery attempts per callback: a failed connection, a timeout and 5xx are retried once. */
const ATTEMPTS = 2
const AGAIN_MS = 200

/** Delivers a call's events, signed, in their order unless a fault changes it. The call owns it. */
export class Callbacks {
  readonly #options: CallbackOptions
  #held: Telling | undefined
  #last: Promise<void> = Promise.resolve()
  readonly #over = new AbortController()

  constructor(options: CallbackOptions) {
    this.#options = options
  }

  /** Queues a delivery. `last`: nothing follows, so nothing is held back any longer. */
  tell(telling: Telling, last = false): void {
    const { reorder, lose } = this.#options.faults
    if (lose) return
    if (reorder && !last && !this.#held) {
      this.#held = telling
      return
    }
    const held = this.#held
    this.#held = undefined
    this.#deliver(telling)
    if (held) this.#deliver(held)
  }

  /** Delivers at once, in parallel to the others. */
  tellNow(telling: Telling): void {
    void this.#post(telling)
  }

  /** Stops delivering. */
  close(): void {
    this.#over.abort()
  }

  #deliver(telling: Telling): void {
    this.#last = this.#last.then(() => this.#post(telling))
  }

  async #post(telling: Telling): Promise<void> {
    const token = randomUUID()
    const times = this.#options.faults.duplicate ? 2 : 1
    for (let time = 0; time < times; time++) await this.#attempts(telling, token)
  }

  async #attempts(telling: Telling, idempotencyToken: string): Promise<void> {
    const { url, method } = telling.to
    const { clock, authToken, profile, route: routing } = this.#options
    const route: Route | undefined = routeOf(url, { ...routing, webhook: url })
    if (!route) return
    const { fields } = telling
    const { signal } = this.#over
    const request = { url, method, fields, route, clock, authToken, profile, signal, idempotencyToken }
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      if (signal.aborted) return
      const answer = await askWebhook(request)
      if (answer.ok || (answer.status ?? 500) < 500) return
      if (attempt < ATTEMPTS) await this.#wait(AGAIN_MS)
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimer(this.#options.clock, ms, resolve)
      const abort = () => {
        timer[Symbol.dispose]()
        resolve()
      }
      this.#over.signal.addEventListener('abort', abort, { once: true })
    })
  }
}
