import type { Guild } from '../../guild.ts'
import { isJson, stringIn } from '../../json.ts'
import type { Member } from '../../member.ts'
import { guildOf } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { ok } from '../api-request.ts'
import { FormCheck } from '../form-check.ts'
import type { Route } from '../route.ts'

export const GUILD_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/guilds/:guild',
    handle: ({ params }, world) => {
      const {
        channels: _,
        threads: __,
        members: ___,
        voice_states: ____,
        ...json
      } = guildOf(world, params.guild).json
      return ok(json)
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
    path: '/guilds/:guild/members/:member',
    handle: ({ params }, world) => ok(memberOf(guildOf(world, params.guild), params.member).json),
  },
  {
    method: 'PATCH',
    path: '/guilds/:guild/members/@me',
    handle: ({ params, body }, world) => {
      const guild = guildOf(world, params.guild)
      if (!isJson(body)) throw ApiError.of(50035)
      const check = new FormCheck()
      check.text(body, 'nick', [], { most: 32 })
      check.end()
      if (body.nick !== undefined) {
        if (!guild.bot.can('ChangeNickname')) throw ApiError.of(50013)
        guild.setNick(guild.bot, stringIn(body, 'nick') || null)
      }
      return ok(guild.bot.json)
    },
  },
]

function memberOf(guild: Guild, id: string | undefined): Member {
  const member = guild.members.get(id ?? '')
  if (!member) throw ApiError.of(10007)
  return member
}
