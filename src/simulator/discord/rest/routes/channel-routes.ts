import { channelOf } from '../access.ts'
import { ok } from '../api-request.ts'
import type { Route } from '../route.ts'

export const CHANNEL_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/channels/:channel',
    handle: ({ params }, world) => ok(channelOf(world, params.channel).json),
  },
]
