import type { Channel } from '../../model/channel.ts'
import { Thread } from '../../model/channel.ts'
import { type MessageDraft, readDraft } from '../../model/message-draft.ts'
import { ApiError } from '../api-error.ts'
import { channelOf, messageOf, NO_CONTENT, ok, type Route } from '../route.ts'

export const MESSAGE_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/channels/:channel/messages',
    handle: ({ params, query }, world) => {
      const channel = channelOf(world, params.channel)
      if (!channel.guild.bot.can('ReadMessageHistory', channel)) return ok([])
      const limit = Math.min(100, Math.max(1, Number(query.get('limit') ?? 50) || 50))
      const before = query.get('before')
      const all = channel.visible.filter(({ id }) => before === null || BigInt(id) < BigInt(before))
      return ok(
        all
          .slice(-limit)
          .reverse()
          .map(({ json }) => json),
      )
    },
  },
  {
    method: 'POST',
    path: '/channels/:channel/messages',
    handle: ({ params, body }, world) => {
      const channel = channelOf(world, params.channel)
      const draft = readDraft(body)
      mayWrite(channel, draft)
      return ok(world.chat.post(channel, draft).json)
    },
  },
  {
    method: 'GET',
    path: '/channels/:channel/messages/:message',
    handle: ({ params }, world) =>
      ok(messageOf(channelOf(world, params.channel, 'ReadMessageHistory'), params.message).json),
  },
  {
    method: 'PATCH',
    path: '/channels/:channel/messages/:message',
    handle: ({ params, body }, world) => {
      const message = messageOf(channelOf(world, params.channel), params.message)
      if (message.author !== world.bot || message.webhook) throw ApiError.of(50005)
      mayGoOn(message.channel)
      world.chat.edit(message, readDraft(body))
      return ok(message.json)
    },
  },
  {
    method: 'DELETE',
    path: '/channels/:channel/messages/:message',
    handle: ({ params }, world) => {
      const channel = channelOf(world, params.channel)
      const message = messageOf(channel, params.message)
      if (message.author !== world.bot && !channel.guild.bot.can('ManageMessages', channel))
        throw ApiError.of(50013)
      world.chat.delete(message)
      return NO_CONTENT
    },
  },
]

function mayWrite(channel: Channel, { embeds = [], referenceId }: MessageDraft): void {
  const { bot } = channel.guild
  const send = channel instanceof Thread ? 'SendMessagesInThreads' : 'SendMessages'
  if (!bot.can(send, channel)) throw ApiError.of(50013)
  if (embeds.length > 0 && !bot.can('EmbedLinks', channel)) throw ApiError.of(50013)
  if (referenceId !== undefined && !bot.can('ReadMessageHistory', channel)) throw ApiError.of(160002)
  if (channel instanceof Thread && channel.locked) throw ApiError.of(160005)
}

/** Messages in an archived thread cannot change. */
function mayGoOn(channel: Channel): void {
  if (channel instanceof Thread && channel.archived) throw ApiError.of(50083)
}
