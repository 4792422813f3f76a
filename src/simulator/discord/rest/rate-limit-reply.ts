import type { BucketState } from './rate-limits.ts'

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
