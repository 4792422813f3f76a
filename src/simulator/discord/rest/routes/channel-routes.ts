import { isJson, type Json, stringIn } from '../../json.ts'
import type { Channel } from '../../model/channel.ts'
import { Thread } from '../../model/thread.ts'
import { VoiceChannel } from '../../model/voice-channel.ts'
import { channelOf } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { NO_CONTENT, ok } from '../api-request.ts'
import { FormCheck } from '../form-check.ts'
import type { Route } from '../route.ts'
import { changeThread } from './thread-routes.ts'

export const CHANNEL_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/channels/:channel',
    handle: ({ params }, world) => ok(channelOf(world, params.channel).json),
  },
  {
    method: 'PATCH',
    path: '/channels/:channel',
    handle: ({ params, body }, world) => {
      const channel = channelOf(world, params.channel)
      if (!isJson(body)) throw ApiError.of(50035)
      if (channel instanceof Thread) changeThread(channel, body, world)
      else change(channel, body)
      return ok(channel.json)
    },
  },
  {
    method: 'DELETE',
    path: '/channels/:channel',
    handle: ({ params }, world) => {
      const channel = channelOf(world, params.channel)
      const needed = channel instanceof Thread ? 'ManageThreads' : 'ManageChannels'
      if (!channel.guild.bot.can(needed, channel)) throw ApiError.of(50013)
      const { json } = channel
      void channel.guild.deleteChannel(channel)
      return ok(json)
    },
  },
  {
    // The status line of a voice channel; discord.js has no method for it yet.
    method: 'PUT',
    path: '/channels/:channel/voice-status',
    handle: ({ params, body }, world) => {
      const channel = channelOf(world, params.channel, 'SetVoiceChannelStatus')
      if (!(channel instanceof VoiceChannel)) throw ApiError.of(50024)
      const { bot } = channel.guild
      if (bot.voice?.channel !== channel && !bot.can('ManageChannels', channel)) throw ApiError.of(50013)
      if (!isJson(body)) throw ApiError.of(50035)
      const check = new FormCheck()
      check.text(body, 'status', [], { most: 500 })
      check.end()
      channel.setStatus(stringIn(body, 'status') || null)
      return NO_CONTENT
    },
  },
]

function change(channel: Channel, body: Json): void {
  if (!channel.guild.bot.can('ManageChannels', channel)) throw ApiError.of(50013)
  const check = new FormCheck()
  check.text(body, 'name', [], { least: 1, most: 100 })
  check.end()
  channel.name = stringIn(body, 'name') ?? channel.name
  channel.guild.tell('CHANNEL_UPDATE', channel.json)
}
