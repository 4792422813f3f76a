import type { Clock } from '../../../core/clock.ts'

/** How many requests in which time. */
interface Limit {
  readonly requests: number
  readonly perMs: number
}

/** What a route's bucket says after one more request. */
export interface BucketState {
  readonly bucket: string
  readonly limit: number
  readonly remaining: number
  readonly resetAfterMs: number
  /** This request was one too many. */
  readonly exceeded: boolean
}

/**
 * Limits that are known or observed; Discord publishes none and may change them. Messages: 5 in 5 s to a channel, for
 * posts and edits each; webhooks, and with them answers to interactions: 5 in 2 s.
 */
const LIMITS: Readonly<Record<string, Limit>> = {
  'POST /channels/:channel/messages': { requests: 5, perMs: 5_000 },
  'PATCH /channels/:channel/messages/:message': { requests: 5, perMs: 5_000 },
  'DELETE /channels/:channel/messages/:message': { requests: 5, perMs: 1_000 },
  'POST /channels/:channel/typing': { requests: 5, perMs: 5_000 },
  'POST /webhooks/:webhook/:token': { requests: 5, perMs: 2_000 },
  'PATCH /webhooks/:webhook/:token/messages/:message': { requests: 5, perMs: 2_000 },
}

/** Everything but interactions' endpoints counts towards it. */
const GLOBAL: Limit = { requests: 50, perMs: 1_000 }

/** Parts of a path that have limits of their own (Discord: Rate Limits, top-level resources). */
const MAJOR = ['channel', 'guild', 'webhook', 'token'] as const

/** Counts requests by bucket. */
export class RateLimits {
  readonly #clock: Clock
  readonly #windows = new Map<string, { endsAt: number; count: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a request; undefined for a route without a limit. */
  take(route: string, params: Readonly<Record<string, string>>): BucketState | undefined {
    const limit = LIMITS[route]
    if (!limit) return undefined
    const major = MAJOR.map(name => params[name] ?? '').join(':')
    return { bucket: bucketName(route), ...this.#count(`${route} ${major}`, limit) }
  }

  /** Counts a request towards the limit of all; the time to wait when it was one too many. */
  takeGlobal(): number | undefined {
    const { exceeded, resetAfterMs } = this.#count('global', GLOBAL)
    return exceeded ? resetAfterMs : undefined
  }

  #count(key: string, { requests, perMs }: Limit): Omit<BucketState, 'bucket'> {
    const now = this.#clock.now()
    let window = this.#windows.get(key)
    if (!window || window.endsAt <= now) {
      window = { endsAt: now + perMs, count: 0 }
      this.#windows.set(key, window)
    }
    const exceeded = window.count >= requests
    if (!exceeded) window.count++
    return {
      limit: requests,
      remaining: requests - window.count,
      resetAfterMs: window.endsAt - now,
      exceeded,
    }
  }
}

/** The same for the same route; what Discord's look like. */
function bucketName(route: string): string {
  let hash = 0x811c9dc5
  for (const char of route) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0
  return hash.toString(16).padStart(8, '0').repeat(4)
}
