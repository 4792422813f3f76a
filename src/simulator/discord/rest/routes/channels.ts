import { isJson, type Json, stringIn } from '../../json.ts'
import { type Channel, TextChannel, Thread } from '../../model/channel.ts'
import type { Message } from '../../model/message.ts'
import { VoiceChannel } from '../../model/voice-channel.ts'
import type { World } from '../../model/world.ts'
import { ApiError } from '../api-error.ts'
import { FormCheck } from '../form-check.ts'
import { channelOf, guildOf, messageOf, NO_CONTENT, ok, type Route } from '../route.ts'

const DURATIONS = [60, 1_440, 4_320, 10_080]
const PUBLIC = 11
const PRIVATE = 12

export const THREAD_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/channels/:channel/messages/:message/threads',
    handle: ({ params, body }, world) => {
      const parent = parentOf(channelOf(world, params.channel, 'CreatePublicThreads'))
      const message = messageOf(parent, params.message)
      if (message.thread) throw ApiError.of(160004)
      return ok(opened(parent, readThread(body), world, message), 201)
    },
  },
  {
    method: 'POST',
    path: '/channels/:channel/threads',
    handle: ({ params, body }, world) => {
      const kind = isJson(body) && body.type === PUBLIC ? PUBLIC : PRIVATE
      const permission = kind === PUBLIC ? 'CreatePublicThreads' : 'CreatePrivateThreads'
      const parent = parentOf(channelOf(world, params.channel, permission))
      return ok(opened(parent, { ...readThread(body), private: kind === PRIVATE }, world), 201)
    },
  },
  {
    method: 'GET',
    path: '/guilds/:guild/threads/active',
    handle: ({ params }, world) => {
      const { channels } = guildOf(world, params.guild)
      const threads = Array.from(channels.values()).filter(each => each instanceof Thread && !each.archived)
      return ok({ threads: threads.map(({ json }) => json), members: [] })
    },
  },
  {
    method: 'PUT',
    path: '/channels/:channel/thread-members/:member',
    handle: ({ params }, world) => {
      if (!(channelOf(world, params.channel) instanceof Thread)) throw ApiError.of(50024)
      return NO_CONTENT
    },
  },
]

interface ThreadDraft {
  readonly name: string
  readonly autoArchiveMinutes: number
  readonly private?: boolean
}

function readThread(body: unknown): ThreadDraft {
  if (!isJson(body)) throw ApiError.of(50035)
  const check = new FormCheck()
  const name = check.text(body, 'name', [], { least: 1, most: 100, required: true })
  const minutes = body.auto_archive_duration ?? 1_440
  if (!DURATIONS.includes(Number(minutes))) check.choice(['auto_archive_duration'], minutes, DURATIONS)
  check.end()
  return { name: name ?? '', autoArchiveMinutes: Number(minutes) }
}

function opened(parent: Channel, draft: ThreadDraft, world: World, starter?: Message): Json {
  const thread = new Thread(parent, { ...draft, owner: world.bot, ...(starter ? { starter } : {}) })
  parent.guild.channels.set(thread.id, thread)
  parent.threads.push(thread)
  if (starter) starter.thread = thread
  parent.guild.tell('THREAD_CREATE', { ...thread.json, newly_created: true })
  return thread.json
}

/** Chats of voice channels have no threads. */
function parentOf(channel: Channel): Channel {
  if (!(channel instanceof TextChannel)) throw ApiError.of(50024)
  return channel
}

/** Changes a thread: requires its creator, or a permission. Throws `ApiError`. */
function changeThread(thread: Thread, body: Json, world: World): void {
  const { bot } = thread.guild
  if (thread.owner !== world.bot && !bot.can('ManageThreads', thread)) throw ApiError.of(50013)
  if (body.locked !== undefined && !bot.can('ManageThreads', thread)) throw ApiError.of(50013)
  const check = new FormCheck()
  check.text(body, 'name', [], { least: 1, most: 100 })
  check.flag(body, 'archived', [])
  check.flag(body, 'locked', [])
  check.end()
  thread.name = stringIn(body, 'name') ?? thread.name
  thread.archived = body.archived === undefined ? thread.archived : body.archived === true
  thread.locked = body.locked === undefined ? thread.locked : body.locked === true
  thread.guild.tell('THREAD_UPDATE', thread.json)
}

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
