import { type ApiErrorCode, isApiErrorCode } from './api-error.ts'

/** A fault of the API. */
export interface RestFault {
  /**
   * Applies only to requests of this route, as in `SeenRequest.route`, or a part of it or its method:
   * `PATCH /channels`. The names of `:parts` do not matter. Default all.
   */
  only?: string
  /** Returns this JSON error code of Discord with its status instead of carrying out the request: 50001, 50013, 10008, 30046 … */
  code?: ApiErrorCode
  /** Returns this status instead, with `body`, which does not have to be JSON. */
  reply?: { status: number; body?: string; type?: string }
  /** Returns 429: of this route, of all (`global`), of a shared resource, or of Discord's front end (`cloudflare`, not JSON). */
  rateLimited?: { scope?: 'user' | 'global' | 'shared' | 'cloudflare'; retryAfterMs: number }
  /** Delay of the response (ms). */
  delayMs?: number
  /** Cuts the connection before the request was carried out, or after, so that the client does not know. */
  cut?: 'before' | 'after'
  /** Never answers. */
  hang?: boolean
}

/** Selects the fault for a request: queued ones once each, in order, then the permanent ones. */
export class DiscordRestFaults {
  readonly #routes: readonly string[]
  readonly #standing: RestFault[] = []
  readonly #once: RestFault[] = []
  /** Enforces the limits of single routes, such as 5 messages or edits in 5 s per channel. Disable for speed. */
  rateLimits = true

  /** `routes` are the existing routes, `PATCH /channels/:channel/messages/:message`. */
  constructor(routes: readonly string[]) {
    this.#routes = routes
  }

  /** Applies to the next request that matches. Throws `RangeError` for an unknown route. */
  next(fault: RestFault): void {
    this.#check(fault)
    this.#once.push(fault)
  }

  /** Applies to every request that matches, until `heal`. */
  always(fault: RestFault): void {
    this.#check(fault)
    this.#standing.push(fault)
  }

  heal(): void {
    this.#standing.length = 0
    this.#once.length = 0
  }

  /** Returns the fault for this request. */
  take(route: string): RestFault {
    const fits = ({ only }: RestFault) => only === undefined || within(only, route)
    const at = this.#once.findIndex(fits)
    if (at >= 0) return this.#once.splice(at, 1)[0]!
    return this.#standing.find(fits) ?? {}
  }

  #check({ only, code }: RestFault): void {
    if (code !== undefined && !isApiErrorCode(code))
      throw new RangeError(`the JSON error code ${code} is not known here: give a reply instead`)
    if (only === undefined || this.#routes.some(route => within(only, route))) return
    throw new RangeError(`no route has ${only} in it; they are written like ${this.#routes.at(-1)}`)
  }
}

/** True if `part` is in `route`, with any parameter names. */
function within(part: string, route: string): boolean {
  return unnamed(route).includes(unnamed(part))
}

function unnamed(route: string): string {
  return route.replace(/:\w+/g, ':')
}
