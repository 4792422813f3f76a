import { type HttpFault, HttpFaults } from '../../rest-faults.ts'
import { type ApiErrorCode, isApiErrorCode } from './api-error.ts'

/**
 * A fault of the API. `only` is a route, as in `SeenRequest.route`, or a part of it or its method: `PATCH /channels`. The
 * names of `:parts` do not matter.
 */
export interface RestFault extends HttpFault {
  /** Returns this JSON error code of Discord with its status instead of carrying out the request: 50001, 50013, 10008, 30046 … */
  code?: ApiErrorCode
  /** Returns 429: of this route, of all (`global`), of a shared resource, or of Discord's front end (`cloudflare`, not JSON). */
  rateLimited?: { scope?: 'user' | 'global' | 'shared' | 'cloudflare'; retryAfterMs: number }
}

/** Selects the fault for a request; faults for unknown routes are errors of the test. */
export class DiscordRestFaults extends HttpFaults<RestFault> {
  readonly #routes: readonly string[]
  /** Enforces the limits of single routes, such as 5 messages or edits in 5 s per channel. Disable for speed. */
  rateLimits = true

  /** `routes` are the existing routes, `PATCH /channels/:channel/messages/:message`. */
  constructor(routes: readonly string[]) {
    super(within)
    this.#routes = routes
  }

  /** Applies to the next request that matches. Throws `RangeError` for an unknown route. */
  override next(fault: RestFault): void {
    this.#check(fault)
    super.next(fault)
  }

  /** Applies to every request that matches, until `heal`. Throws `RangeError` for an unknown route. */
  override always(fault: RestFault): void {
    this.#check(fault)
    super.always(fault)
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
