import type { RestErrorCode } from './rest-error.ts'

/** A fault of the API; `only` limits it to some requests. */
export interface RestFault {
  /**
   * Applies only to requests of this kind: the method and the last part of the path, `POST Calls`, `POST Calls/*`,
   * `GET Calls/*`. Default all.
   */
  only?: string
  /** Returns this error instead of carrying out the request. */
  code?: RestErrorCode
  /** Returns this status and body instead, which does not have to be JSON. */
  reply?: { status: number; body: string; type?: string }
  /** Delay of the response (ms). */
  delayMs?: number
  /** Cuts the connection before the request was carried out, or after, so that the client does not know. */
  cut?: 'before' | 'after'
  /** Never answers. */
  hang?: boolean
}

/** Selects the fault for a request: queued ones once each, in order, then the permanent ones. */
export class RestFaults {
  readonly #standing: RestFault[] = []
  readonly #once: RestFault[] = []

  /** Applies to the next request that matches. */
  next(fault: RestFault): void {
    this.#once.push(fault)
  }

  /** Applies to every request that matches, until `heal`. */
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
