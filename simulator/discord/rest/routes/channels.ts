import { isJson, stringIn } from '../../json.ts'
import { TextChannel, Thread } from '../../model/channel.ts'
import { ApiError } from '../api-error.ts'
import { channelOf, ok, type Route } from '../route.ts'

const PUBLIC = 11

export const CHANNEL_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/channels/:channel',
    handle: ({ params }, world) => ok(channelOf(world, params.channel).json),
  },
  {
    method: 'POST',
    path: '/channels/:channel/threads',
    handle: ({ params, body }, world) => {
      if (!isJson(body)) throw ApiError.of(50035)
      const isPublic = body.type === PUBLIC
      const permission = isPublic ? 'CreatePublicThreads' : 'CreatePrivateThreads'
      const parent = channelOf(world, params.channel, permission)
      // Chats of voice channels have no threads.
      if (!(parent instanceof TextChannel)) throw ApiError.of(50024)
      const thread = new Thread(parent, {
        name: stringIn(body, 'name') ?? '',
        autoArchiveMinutes: Number(body.auto_archive_duration ?? 1_440),
        private: !isPublic,
        owner: world.bot,
      })
      parent.guild.channels.set(thread.id, thread)
      parent.threads.push(thread)
      parent.guild.tell('THREAD_CREATE', { ...thread.json, newly_created: true })
      return ok(thread.json, 201)
    },
  },
]
