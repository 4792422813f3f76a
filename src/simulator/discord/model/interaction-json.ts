import { isJson, type Json } from '../json.ts'
import type { Interaction } from './interaction.ts'

/** Discord: Interaction Type. */
const TYPES = { command: 2, component: 3, autocomplete: 4 } as const

/** The interaction as sent to the application (Discord: Interaction Object). */
export function interactionJson({ id, token, terms }: Interaction, data: Json): Json {
  const { by, channel, kind, pressed, world } = terms
  const { guild } = by
  const { id: channelId, name, type, ...rest } = channel.json
  const thread = isJson(rest.thread_metadata)
    ? { parent_id: rest.parent_id, thread_metadata: rest.thread_metadata }
    : {}
  return {
    id,
    token,
    type: TYPES[kind],
    version: 1,
    application_id: world.application.id,
    guild_id: guild.id,
    guild: { id: guild.id, locale: guild.locale, features: [] },
    guild_locale: guild.locale,
    channel_id: channelId,
    channel: {
      id: channelId,
      guild_id: guild.id,
      name,
      type,
      ...thread,
      permissions: String(channel.permissionsOf(by)),
    },
    member: { ...by.json, permissions: String(channel.permissionsOf(by)) },
    locale: by.user.locale,
    app_permissions: String(channel.permissionsOf(guild.bot)),
    entitlements: [],
    authorizing_integration_owners: { 0: guild.id },
    context: 0,
    attachment_size_limit: 10_485_760,
    data: kind === 'component' ? data : { ...data, guild_id: undefined },
    ...(pressed ? { message: pressed.json } : {}),
  }
}
