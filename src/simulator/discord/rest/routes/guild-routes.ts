import { guildOf } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { ok } from '../api-request.ts'
import type { Route } from '../route.ts'

export const GUILD_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/guilds/:guild',
    handle: ({ params }, world) => {
      const { json } = guildOf(world, params.guild)
      const { channels: _, threads: __, members: ___, voice_states: ____, ...rest } = json
      return ok(rest)
    },
  },
  {
    method: 'GET',
    path: '/guilds/:guild/channels',
    handle: ({ params }, world) =>
      ok(
        Array.from(guildOf(world, params.guild).channels.values())
          .filter(({ kind }) => kind !== 'thread')
          .map(({ json }) => json),
      ),
  },
  {
    method: 'GET',
    path: '/guilds/:guild/roles',
    handle: ({ params }, world) =>
      ok(Array.from(guildOf(world, params.guild).roles.values(), ({ json }) => json)),
  },
  {
    method: 'GET',
    path: '/guilds/:guild/roles/:role',
    handle: ({ params }, world) => {
      const role = guildOf(world, params.guild).roles.get(params.role!)
      if (!role) throw ApiError.of(10011)
      return ok(role.json)
    },
  },
]
