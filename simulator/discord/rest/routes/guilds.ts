import { isJson, type Json, stringIn } from '../../json.ts'
import type { Guild } from '../../model/guild.ts'
import type { Member } from '../../model/member.ts'
import { ApiError } from '../api-error.ts'
import { type ApiRequest, guildOf, NO_CONTENT, ok, type Route } from '../route.ts'

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
]

export const MEMBER_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/guilds/:guild/members/:member',
    handle: (request, world) => ok(memberOf(guildOf(world, request.params.guild), request).json),
  },
  {
    method: 'PATCH',
    path: '/guilds/:guild/members/@me',
    handle: ({ params, body }, world) => {
      const guild = guildOf(world, params.guild)
      if (!isJson(body)) throw ApiError.of(50035)
      const { bot } = guild
      if (body.nick !== undefined) {
        if (!bot.can('ChangeNickname')) throw ApiError.of(50013)
        bot.setNick(stringIn(body, 'nick') || null)
      }
      return ok(bot.json)
    },
  },
  {
    // On a stage: to raise a hand, or to become a speaker.
    method: 'PATCH',
    path: '/guilds/:guild/voice-states/:member',
    handle: (request, world) => {
      const guild = guildOf(world, request.params.guild)
      if (!isJson(request.body)) throw ApiError.of(50035)
      changeOnStage(memberOf(guild, request), request.body, world.wallClock())
      return NO_CONTENT
    },
  },
]

function memberOf(guild: Guild, { params }: ApiRequest): Member {
  const member = params.member === '@me' ? guild.bot : guild.members.get(params.member ?? '')
  if (!member) throw ApiError.of(10007)
  return member
}

function changeOnStage(member: Member, body: Json, now: number): void {
  const { bot } = member.guild
  const { voice } = member
  if (voice?.channel?.kind !== 'stage') throw ApiError.of(50024)
  const moderator = bot.can('MuteMembers', voice.channel)
  if (body.suppress === false && !moderator) throw ApiError.of(50013)
  if (body.request_to_speak_timestamp !== undefined) {
    if (!bot.can('RequestToSpeak', voice.channel)) throw ApiError.of(50013)
    voice.requestedToSpeakAt = body.request_to_speak_timestamp === null ? undefined : now
  }
  member.guild.voice.change(member, typeof body.suppress === 'boolean' ? { suppress: body.suppress } : {})
}
