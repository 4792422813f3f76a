import type { Clock } from '../../../src/common/clock.ts'

/** A status with its final headers and body. */
export interface RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Discord: Rate Limits, header format. `now` in milliseconds since 1970. */
export function bucketHeaders(state: BucketState, now: number): Record<string, string> {
  return {
    'x-ratelimit-limit': String(state.limit),
    'x-ratelimit-remaining': String(state.remaining),
    'x-ratelimit-reset': ((now + state.resetAfterMs) / 1000).toFixed(3),
    'x-ratelimit-reset-after': (state.resetAfterMs / 1000).toFixed(3),
    'x-ratelimit-bucket': state.bucket,
  }
}

/** Discord: Rate Limits, exceeding. The front end before Discord, which bans by address, answers without JSON. */
export function limitedReply(
  scope: 'user' | 'global' | 'shared' | 'cloudflare',
  retryAfterMs: number,
  headers: Readonly<Record<string, string>> = {},
): RawReply {
  const seconds = String(Math.ceil(retryAfterMs / 1000))
  if (scope === 'cloudflare')
    return {
      status: 429,
      headers: { 'content-type': 'text/html', 'retry-after': seconds },
      body: '<html><body>error code: 1015</body></html>',
    }
  return {
    status: 429,
    headers: {
      ...headers,
      via: '1.1 discord',
      'content-type': 'application/json',
      'retry-after': seconds,
      'x-ratelimit-scope': scope,
      ...(scope === 'global' ? { 'x-ratelimit-global': 'true' } : {}),
    },
    body: JSON.stringify({
      message: scope === 'shared' ? 'The resource is being rate limited.' : 'You are being rate limited.',
      retry_after: retryAfterMs / 1000,
      global: scope === 'global',
    }),
  }
}

/** A number of requests per interval. */
interface Limit {
  readonly requests: number
  readonly perMs: number
}

/** State of a route's bucket after a request. */
export interface BucketState {
  readonly bucket: string
  readonly limit: number
  readonly remaining: number
  readonly resetAfterMs: number
  /** This request exceeded the limit. */
  readonly exceeded: boolean
}

/**
 * Known or observed limits; Discord publishes none and can change them. Messages: 5 in 5 s to a channel, for posts and
 * edits each; webhooks, and with them answers to interactions: 5 in 2 s.
 */
const LIMITS: Readonly<Record<string, Limit>> = {
  'POST /channels/:channel/messages': { requests: 5, perMs: 5_000 },
  'PATCH /channels/:channel/messages/:message': { requests: 5, perMs: 5_000 },
  'DELETE /channels/:channel/messages/:message': { requests: 5, perMs: 1_000 },
  'POST /webhooks/:webhook/:token': { requests: 5, perMs: 2_000 },
  'PATCH /webhooks/:webhook/:token/messages/:message': { requests: 5, perMs: 2_000 },
}

/**
 * Messages of all webhooks of a channel. No header reports this limit before it is exceeded (discord-api-docs#367 and
 * #1454).
 */
const WEBHOOK_MESSAGES: Limit = { requests: 30, perMs: 60_000 }

/** Everything except the interaction endpoints counts towards it. */
const GLOBAL: Limit = { requests: 50, perMs: 1_000 }

/** Parts of a path with separate limits (Discord: Rate Limits, top-level resources). */
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

  /** Counts a request towards the global limit; returns the time to wait if it was exceeded. */
  takeGlobal(): number | undefined {
    const { exceeded, resetAfterMs } = this.#count('global', GLOBAL)
    return exceeded ? resetAfterMs : undefined
  }

  /** Counts a message by a webhook of `channelId`; returns the time to wait if the limit was exceeded. */
  takeWebhookMessage(channelId: string): number | undefined {
    const { exceeded, resetAfterMs } = this.#count(`webhooks of ${channelId}`, WEBHOOK_MESSAGES)
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

/** Constant for each route, in Discord's format. */
function bucketName(route: string): string {
  let hash = 0x811c9dc5
  for (const char of route) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0
  return hash.toString(16).padStart(8, '0').repeat(4)
}
