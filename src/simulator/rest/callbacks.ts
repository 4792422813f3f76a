import { randomUUID } from 'node:crypto'
import { after, type Clock } from '../../core/clock.ts'
import { askWebhook } from '../phone/request.ts'
import { type Route, routeOf } from '../phone/route.ts'
import type { Callback } from './call-order.ts'

/** What is wrong with the way callbacks are delivered; changeable at any time. */
export interface CallbackFaults {
  /** Every one is delivered twice, with the same idempotency token. */
  duplicate?: boolean
  /** Delivered so much later (ms); a function decides by the event. */
  delayMs?: number | ((event: string) => number)
  /** In pairs, the later first. */
  reorder?: boolean
  /** Not delivered at all: all, or those of these events. */
  lose?: boolean | readonly string[]
}

/** One attempt to tell something, and what became of it. */
export interface SeenCallback {
  readonly callSid: string
  /** `initiated` … `completed`, or `amd`. */
  readonly event: string
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
  readonly idempotencyToken: string
  /** From 1. */
  readonly attempt: number
  /** The HTTP status of the answer; undefined when there was none. */
  readonly status: number | undefined
}

export interface CallbackTerms {
  readonly clock: Clock
  readonly authToken: string
  readonly faults: CallbackFaults
  /** How the way to the bridge is found. */
  readonly route: Omit<Parameters<typeof routeOf>[1], 'webhook'>
  readonly seen: (callback: SeenCallback) => void
}

/** Something to be told. */
export interface Telling {
  readonly callSid: string
  readonly event: string
  readonly to: Callback
  readonly fields: Readonly<Record<string, string>>
}

/** Attempts to deliver one callback: no connection, silence and 5xx are tried once more. */
const ATTEMPTS = 2
const AGAIN_MS = 200

/** Tells a call's events, signed, in their order unless the faults say otherwise. The call owns it. */
export class Callbacks {
  readonly #terms: CallbackTerms
  #held: Telling | undefined
  #last: Promise<void> = Promise.resolve()
  readonly #over = new AbortController()

  constructor(terms: CallbackTerms) {
    this.#terms = terms
  }

  /** Tells it after what was told before. `last`: nothing follows, so nothing is held back any more. */
  tell(telling: Telling, last = false): void {
    const { reorder, lose } = this.#terms.faults
    if (lose === true || (typeof lose === 'object' && lose.includes(telling.event))) return
    if (reorder && !last && !this.#held) {
      this.#held = telling
      return
    }
    const held = this.#held
    this.#held = undefined
    this.#deliver(telling)
    if (held) this.#deliver(held)
  }

  /** Tells it at once, beside the others. */
  tellNow(telling: Telling): void {
    void this.#post(telling)
  }

  /** Settles when everything was told. */
  get idle(): Promise<void> {
    return this.#last
  }

  /** Tells nothing more. */
  close(): void {
    this.#over.abort()
  }

  #deliver(telling: Telling): void {
    const told = this.#last
    const { delayMs = 0 } = this.#terms.faults
    const ms = typeof delayMs === 'number' ? delayMs : delayMs(telling.event)
    const due = ms > 0 ? this.#wait(ms) : undefined
    this.#last = told.then(async () => {
      await due
      await this.#post(telling)
    })
  }

  async #post(telling: Telling): Promise<void> {
    const token = randomUUID()
    const times = this.#terms.faults.duplicate ? 2 : 1
    for (let time = 0; time < times; time++) await this.#attempts(telling, token)
  }

  async #attempts(telling: Telling, idempotencyToken: string): Promise<void> {
    const { url, method } = telling.to
    const { clock, authToken, route: routing, seen } = this.#terms
    const route: Route | undefined = routeOf(url, { ...routing, webhook: url })
    if (!route) return
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const { callSid, event, fields } = telling
      const { signal } = this.#over
      if (signal.aborted) return
      const answer = await askWebhook({
        url,
        method,
        fields,
        route,
        clock,
        authToken,
        signal,
        idempotencyToken,
      })
      seen({ callSid, event, url, fields, idempotencyToken, attempt, status: answer.status })
      if (answer.ok || (answer.status ?? 500) < 500) return
      if (attempt < ATTEMPTS) await this.#wait(AGAIN_MS)
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = after(this.#terms.clock, ms, resolve)
      const abort = () => {
        timer[Symbol.dispose]()
        resolve()
      }
      this.#over.signal.addEventListener('abort', abort, { once: true })
    })
  }
}
