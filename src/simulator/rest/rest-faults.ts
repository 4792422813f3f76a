import type { RestErrorCode } from './rest-error.ts'

/** What the API does wrong with a request; `only` limits it to some. */
export interface RestFault {
  /** Requests of this kind alone: the method and the last part of the path, `POST Calls`, `POST Calls/*`, `GET Calls/*`. Default all. */
  only?: string
  /** Answers this error instead of doing it. */
  code?: RestErrorCode
  /** Answers this status and body instead, which need be no JSON. */
  reply?: { status: number; body: string; type?: string }
  /** Answers so much later (ms). */
  delayMs?: number
  /** The connection is cut: before the request was carried out, or after, so that nobody knows. */
  cut?: 'before' | 'after'
  /** Never answers. */
  hang?: boolean
}

/** The fault that holds for a request: those queued once each, in order, then the standing ones. */
export class RestFaults {
  readonly #standing: RestFault[] = []
  readonly #once: RestFault[] = []

  /** For the next request that it fits. */
  next(fault: RestFault): void {
    this.#once.push(fault)
  }

  /** For every request that it fits, until `heal`. */
  always(fault: RestFault): void {
    this.#standing.push(fault)
  }

  heal(): void {
    this.#standing.length = 0
    this.#once.length = 0
  }

  /** `kind`: as in `only`. */
  take(kind: string): RestFault {
    const fits = (fault: RestFault) => fault.only === undefined || fault.only === kind
    const at = this.#once.findIndex(fits)
    return this.#once.splice(at, at < 0 ? 0 : 1)[0] ?? this.#standing.find(fits) ?? {}
  }
}
