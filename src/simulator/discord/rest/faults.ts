import { type ApiErrorCode, isApiErrorCode } from './api-error.ts'

/** What the API does wrong with a request. */
export interface RestFault {
  /** Requests to this route alone, as in `SeenRequest.route`, or its method or a part of it: `PATCH /channels`. What `:parts` are called is of no matter. Default all. */
  only?: string
  /** Answers this status with this JSON error code of Discord's instead of doing it: 50001, 50013, 10008, 30046 … Its status comes along. */
  code?: ApiErrorCode
  /** Answers this status instead, with `body`, which need be no JSON. */
  reply?: { status: number; body?: string; type?: string }
  /** Answers 429: of this route, of all (`global`), of something shared, or of Discord's front (`cloudflare`, no JSON). */
  rateLimited?: { scope?: 'user' | 'global' | 'shared' | 'cloudflare'; retryAfterMs: number }
  /** Answers so much later (ms). */
  delayMs?: number
  /** The connection is cut: before the request was carried out, or after, so that nobody knows. */
  cut?: 'before' | 'after'
  /** Never answers. */
  hang?: boolean
}

/** The fault that holds for a request: those queued once each, in order, then the standing ones. */
export class DiscordRestFaults {
  readonly #routes: readonly string[]
  readonly #standing: RestFault[] = []
  readonly #once: RestFault[] = []
  /** Limits of single routes are kept, 5 messages or edits in 5 s per channel among them. Switch off for speed. */
  rateLimits = true

  /** `routes` are those that there are, `PATCH /channels/:channel/messages/:message`. */
  constructor(routes: readonly string[]) {
    this.#routes = routes
  }

  /** For the next request that it fits. Throws `RangeError` when there is no such route. */
  next(fault: RestFault): void {
    this.#check(fault)
    this.#once.push(fault)
  }

  /** For every request that it fits, until `heal`. */
  always(fault: RestFault): void {
    this.#check(fault)
    this.#standing.push(fault)
  }

  heal(): void {
    this.#standing.length = 0
    this.#once.length = 0
  }

  /** What holds for this request now. */
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

/** True when `part` is in `route`, whatever the parameters are called. */
function within(part: string, route: string): boolean {
  return unnamed(route).includes(unnamed(part))
}

function unnamed(route: string): string {
  return route.replace(/:\w+/g, ':')
}
