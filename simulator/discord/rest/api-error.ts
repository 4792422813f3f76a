import { type HttpFault, HttpFaults } from '../../rest-faults.ts'
import type { Json } from '../json.ts'

/** Discord's JSON error codes that are used here: HTTP status and text (Discord: Opcodes and Status Codes, JSON). */
const ERRORS = {
  10002: [404, 'Unknown Application'],
  10003: [404, 'Unknown Channel'],
  10004: [404, 'Unknown Guild'],
  10007: [404, 'Unknown Member'],
  10008: [404, 'Unknown Message'],
  10011: [404, 'Unknown Role'],
  10013: [404, 'Unknown User'],
  10015: [404, 'Unknown Webhook'],
  10062: [404, 'Unknown interaction'],
  10063: [404, 'Unknown application command'],
  10065: [404, 'Unknown Voice State'],
  20012: [403, 'You are not authorized to perform this action on this application'],
  20028: [429, 'The write action you are performing on the channel has hit the write rate limit'],
  30007: [400, 'Maximum number of webhooks reached (15)'],
  30032: [400, 'Maximum number of application commands reached (100)'],
  30046: [400, 'Maximum number of edits to messages older than 1 hour reached. Try again later'],
  40001: [401, 'Unauthorized'],
  40005: [413, 'Request entity too large'],
  40032: [400, 'Target user is not connected to voice.'],
  40060: [400, 'Interaction has already been acknowledged.'],
  50001: [403, 'Missing Access'],
  50005: [403, 'Cannot edit a message authored by another user'],
  50006: [400, 'Cannot send an empty message'],
  50008: [400, 'Cannot send messages in a non-text channel'],
  50013: [403, 'Missing Permissions'],
  50024: [400, 'Cannot execute action on this channel type'],
  50027: [401, 'Invalid Webhook Token'],
  50035: [400, 'Invalid Form Body'],
  50068: [400, 'Invalid message type'],
  50083: [400, 'Thread is archived'],
  50109: [400, 'The request body contains invalid JSON.'],
  130000: [503, 'API resource is currently overloaded. Try again a little later'],
  160002: [403, 'Cannot reply without permission to read message history'],
  160004: [400, 'A thread has already been created for this message'],
  160005: [403, 'Thread is locked'],
} as const satisfies Readonly<Record<number, readonly [number, string]>>

export type ApiErrorCode = keyof typeof ERRORS

function isApiErrorCode(code: number): code is ApiErrorCode {
  return code in ERRORS
}

/** Reason of a rejected request. */
export class ApiError extends Error {
  readonly status: number
  /** Discord's JSON code; 0 for errors that have only a status. */
  readonly code: number

  private constructor(status: number, code: number, message: string) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
  }

  static of(code: ApiErrorCode): ApiError {
    const [status, message] = ERRORS[code]
    return new ApiError(status, code, message)
  }

  /** Errors without their own code: `404: Not Found`. */
  static plain(status: 401 | 403 | 404 | 405 | 500, words: string): ApiError {
    return new ApiError(status, 0, `${status}: ${words}`)
  }

  get body(): Json {
    return { message: this.message, code: this.code }
  }
}

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
