import { isJson, type Json } from '../../json.ts'
import { TextChannel } from '../../model/text-channel.ts'
import { VoiceChannel } from '../../model/voice-channel.ts'
import { Webhook } from '../../model/webhook.ts'
import type { World } from '../../model/world.ts'
import { channelOf, guildOf } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { type ApiReply, type ApiRequest, NO_CONTENT, ok } from '../api-request.ts'
import type { Route, RouteAuth } from '../route.ts'
import { readWebhookName } from './webhook-name.ts'

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
      const name = readWebhookName(body, 'name', true)!
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
  {
    method: 'GET',
    path: '/guilds/:guild/webhooks',
    handle: ({ params }, world) => {
      const guild = guildOf(world, params.guild)
      if (!guild.bot.can('ManageWebhooks')) throw ApiError.of(50013)
      return ok(webhooksOf(world, each => each.channel.guild === guild))
    },
  },
  ...(['/webhooks/:webhook', '/webhooks/:webhook/:token'] as const).flatMap(path => {
    const auth: RouteAuth = path.endsWith(':token') ? 'path' : 'bot'
    return [
      { method: 'GET' as const, path, auth, handle: withWebhook(({ json }) => ok(json)) },
      { method: 'PATCH' as const, path, auth, handle: withWebhook(rename) },
      { method: 'DELETE' as const, path, auth, handle: withWebhook(remove) },
    ]
  }),
]

function withWebhook(
  handle: (webhook: Webhook, request: ApiRequest, world: World) => ApiReply,
): (request: ApiRequest, world: World) => ApiReply {
  return (request, world) => {
    const webhook = world.webhooks.get(request.params.webhook!)
    if (!webhook) throw ApiError.of(10015)
    const { token } = request.params
    if (token !== undefined && token !== webhook.token) throw ApiError.of(50027)
    if (token === undefined) channelOf(world, webhook.channel.id, 'ManageWebhooks')
    return handle(webhook, request, world)
  }
}

function rename(webhook: Webhook, { body }: ApiRequest): ApiReply {
  if (!isJson(body)) throw ApiError.of(50035)
  webhook.name = readWebhookName(body, 'name') ?? webhook.name
  tellUpdate(webhook)
  return ok(webhook.json)
}

function remove(webhook: Webhook, _: ApiRequest, world: World): ApiReply {
  world.webhooks.delete(webhook.id)
  tellUpdate(webhook)
  return NO_CONTENT
}

function webhooksOf({ webhooks }: World, fits: (webhook: Webhook) => boolean): readonly Json[] {
  return Array.from(webhooks.values())
    .filter(fits)
    .map(({ json }) => json)
}

function tellUpdate({ channel: { guild, id } }: Webhook): void {
  guild.tell('WEBHOOKS_UPDATE', { guild_id: guild.id, channel_id: id })
}
