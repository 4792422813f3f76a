import { ok } from '../api-request.ts'
import type { Route } from '../route.ts'

export const GATEWAY_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/gateway',
    auth: 'path',
    handle: (_, { gateway }) => ok({ url: gateway.url }),
  },
  {
    method: 'GET',
    path: '/gateway/bot',
    handle: (_, { gateway, guilds }) =>
      ok({
        url: gateway.url,
        shards: gateway.shards ?? Math.max(1, Math.ceil(guilds.size / 1_000)),
        session_start_limit: {
          total: 1_000,
          remaining: gateway.identifiesLeft,
          reset_after: 86_400_000,
          max_concurrency: gateway.shards ?? 1,
        },
      }),
  },
]
