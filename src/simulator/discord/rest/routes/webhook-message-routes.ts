import { isJson } from '../../json.ts'
import type { Channel } from '../../model/channel.ts'
import { readDraft } from '../../model/draft.ts'
import { Thread } from '../../model/thread.ts'
import type { WebhookTarget } from '../../model/webhook.ts'
import type { World } from '../../model/world.ts'
import { ApiError } from '../api-error.ts'
import { type ApiRequest, NO_CONTENT, ok } from '../api-request.ts'
import type { Route } from '../route.ts'
import { readWebhookName } from './webhook-name.ts'

const MESSAGE = '/webhooks/:webhook/:token/messages/:message'

/** Posting with a token: of a webhook, or of an interaction, with the application's id in place of the webhook's. */
export const WEBHOOK_MESSAGE_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/webhooks/:webhook/:token',
    auth: 'path',
    handle: (request, world) => {
      const { json } = targetOf(request, world).post(readDraft(request.body))
      const answered = request.params.webhook === world.application.id || request.query.get('wait') === 'true'
      return answered ? ok(json) : NO_CONTENT
    },
  },
  {
    method: 'GET',
    path: MESSAGE,
    auth: 'path',
    handle: (request, world) => ok(targetOf(request, world).message(request.params.message!).json),
  },
  {
    method: 'PATCH',
    path: MESSAGE,
    auth: 'path',
    handle: (request, world) => {
      const target = targetOf(request, world)
      const message = target.message(request.params.message!)
      target.edit(message, readDraft(request.body))
      return ok(message.json)
    },
  },
  {
    method: 'DELETE',
    path: MESSAGE,
    auth: 'path',
    handle: (request, world) => {
      const target = targetOf(request, world)
      target.delete(target.message(request.params.message!))
      return NO_CONTENT
    },
  },
]

function targetOf({ params, query, body }: ApiRequest, world: World): WebhookTarget {
  const { webhook: id = '', token = '' } = params
  const interaction = id === world.application.id ? world.interactions.byToken(token) : undefined
  if (interaction) return interaction
  const webhook = world.webhooks.get(id)
  if (!webhook) throw ApiError.of(10015)
  if (webhook.token !== token) throw ApiError.of(50027)
  const threadId = query.get('thread_id')
  const name = isJson(body) ? readWebhookName(body, 'username') : undefined
  return webhook.into(threadId === null ? undefined : threadOf(webhook.channel, threadId), name)
}

function threadOf(channel: Channel, id: string): Thread {
  const thread = channel.guild.channels.get(id)
  if (!(thread instanceof Thread) || thread.parent !== channel) throw ApiError.of(10003)
  return thread
}
