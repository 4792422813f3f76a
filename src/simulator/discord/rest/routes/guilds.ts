import { isJson, type Json, stringIn } from '../../json.ts'
import type { Guild } from '../../model/guild.ts'
import type { Member } from '../../model/member.ts'
import type { PermissionName } from '../../model/permissions.ts'
import { VoiceChannel } from '../../model/voice-channel.ts'
import { ApiError } from '../api-error.ts'
import { FormCheck } from '../form-check.ts'
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

export const MEMBER_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/guilds/:guild/members',
    handle: ({ params, query }, world) => {
      const guild = guildOf(world, params.guild)
      // The list requires the intent here, too.
      if (!world.enabledIntents.includes('GuildMembers')) throw ApiError.of(50001)
      const limit = Math.min(1_000, Math.max(1, Number(query.get('limit') ?? 1) || 1))
      return ok(Array.from(guild.members.values(), ({ json }) => json).slice(0, limit))
    },
  },
  {
    method: 'GET',
    path: '/guilds/:guild/members/search',
    handle: ({ params, query }, world) => {
      const wanted = (query.get('query') ?? '').toLowerCase()
      const all = Array.from(guildOf(world, params.guild).members.values())
      const found = all.filter(({ displayName, user }) =>
        [displayName, user.username].some(name => name.toLowerCase().startsWith(wanted)),
      )
      return ok(found.slice(0, Number(query.get('limit') ?? 1) || 1).map(({ json }) => json))
    },
  },
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
      rename(guild.bot, body, 'ChangeNickname')
      return ok(guild.bot.json)
    },
  },
  {
    method: 'PATCH',
    path: '/guilds/:guild/members/:member',
    handle: (request, world) => {
      const member = memberOf(guildOf(world, request.params.guild), request)
      if (!isJson(request.body)) throw ApiError.of(50035)
      rename(member, request.body, 'ManageNicknames')
      changeVoice(member, request.body)
      return ok(member.json)
    },
  },
  {
    method: 'GET',
    path: '/guilds/:guild/voice-states/:member',
    handle: (request, world) => {
      const { voice } = memberOf(guildOf(world, request.params.guild), request)
      if (!voice) throw ApiError.of(10065)
      return ok(voice.json)
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

function rename(member: Member, body: Json, needed: PermissionName): void {
  const check = new FormCheck()
  check.text(body, 'nick', [], { most: 32 })
  check.end()
  if (body.nick === undefined) return
  if (!member.guild.bot.can(needed)) throw ApiError.of(50013)
  member.setNick(stringIn(body, 'nick') || null)
}

function changeVoice(member: Member, body: Json): void {
  const { bot, channels } = member.guild
  const may = (name: PermissionName) => {
    if (!bot.can(name, member.voice?.channel)) throw ApiError.of(50013)
    if (!member.voice) throw ApiError.of(40032)
  }
  for (const [key, needed] of [
    ['mute', 'MuteMembers'],
    ['deaf', 'DeafenMembers'],
  ] as const) {
    if (typeof body[key] !== 'boolean') continue
    may(needed)
    member.guild.voice.change(member, { [key]: body[key] })
  }
  if (body.channel_id === undefined) return
  may('MoveMembers')
  const channel = body.channel_id === null ? undefined : channels.get(String(body.channel_id))
  if (body.channel_id !== null && !(channel instanceof VoiceChannel)) throw ApiError.of(10003)
  void (channel instanceof VoiceChannel ? member.moveTo(channel) : member.leave())
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
