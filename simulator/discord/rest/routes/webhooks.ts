import { isJson, type Json, stringIn } from '../../json.ts'
import { type Channel, TextChannel, Thread } from '../../model/channel.ts'
import { readDraft } from '../../model/message-draft.ts'
import { VoiceChannel } from '../../model/voice-channel.ts'
import { Webhook, type WebhookTarget } from '../../model/webhook.ts'
import type { World } from '../../model/world.ts'
import { ApiError } from '../api-error.ts'
import { type ApiRequest, channelOf, NO_CONTENT, ok, type Route } from '../route.ts'

/** Words that Discord refuses in names (Discord: Usernames). */
const REFUSED = /clyde|discord/i

/** The requested name of a webhook; undefined if the body has none. Throws `ApiError`. */
function readWebhookName(body: Json, key: 'name' | 'username'): string | undefined {
  const name = stringIn(body, key)
  if (name !== undefined && (name.length < 1 || name.length > 80 || REFUSED.test(name)))
    throw ApiError.of(50035)
  return name
}

const MESSAGE = '/webhooks/:webhook/:token/messages/:message'

/** Posting with a token: of a webhook, or of an interaction, with the application's id instead of the webhook's. */
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
  const avatarUrl = isJson(body) ? stringIn(body, 'avatar_url') : undefined
  return webhook.into(threadId === null ? undefined : threadOf(webhook.channel, threadId), name, avatarUrl)
}

function threadOf(channel: Channel, id: string): Thread {
  const thread = channel.guild.channels.get(id)
  if (!(thread instanceof Thread) || thread.parent !== channel) throw ApiError.of(10003)
  return thread
}

const MOST = 15

/** The webhooks themselves; the bot needs a permission, a client with the token does not. */
export const WEBHOOK_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/channels/:channel/webhooks',
    handle: ({ params, body }, world) => {
      const channel = channelOf(world, params.channel, 'ManageWebhooks')
      if (!(channel instanceof TextChannel || channel instanceof VoiceChannel)) throw ApiError.of(50024)
      if (!isJson(body)) throw ApiError.of(50035)
      const name = readWebhookName(body, 'name')
      if (name === undefined) throw ApiError.of(50035)
      if (webhooksOf(world, ({ channel: { id } }) => id === channel.id).length >= MOST)
        throw ApiError.of(30007)
      const webhook = new Webhook(channel, name)
      world.webhooks.set(webhook.id, webhook)
      tellUpdate(webhook)
      return ok(webhook.json)
    },
  },
  {
    method: 'GET',
    path: '/channels/:channel/webhooks',
    handle: ({ params }, world) => {
      const channel = channelOf(world, params.channel, 'ManageWebhooks')
      return ok(webhooksOf(world, each => each.channel === channel))
    },
  },
  ...(['/webhooks/:webhook', '/webhooks/:webhook/:token'] as const).map(
    (path): Route => ({
      method: 'DELETE',
      path,
      auth: path.endsWith(':token') ? 'path' : 'bot',
      handle: ({ params: { webhook: id = '', token } }, world) => {
        const webhook = world.webhooks.get(id)
        if (!webhook) throw ApiError.of(10015)
        if (token !== undefined && token !== webhook.token) throw ApiError.of(50027)
        if (token === undefined) channelOf(world, webhook.channel.id, 'ManageWebhooks')
        world.webhooks.delete(webhook.id)
        tellUpdate(webhook)
        return NO_CONTENT
      },
    }),
  ),
]

function webhooksOf({ webhooks }: World, fits: (webhook: Webhook) => boolean): readonly Json[] {
  return Array.from(webhooks.values())
    .filter(fits)
    .map(({ json }) => json)
}

function tellUpdate({ channel: { guild, id } }: Webhook): void {
  guild.tell('WEBHOOKS_UPDATE', { guild_id: guild.id, channel_id: id })
}
