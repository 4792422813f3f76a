import { isJson, type Json } from '../../json.ts'
import type { World } from '../../model/world.ts'
import { ApiError } from '../api-error.ts'
import { type ApiRequest, guildOf, NO_CONTENT, ok, type Route } from '../route.ts'

const SCOPES = ['/applications/:application', '/applications/:application/guilds/:guild'] as const

export const COMMAND_ROUTES: readonly Route[] = SCOPES.flatMap((scope): readonly Route[] => [
  {
    method: 'GET',
    path: `${scope}/commands`,
    handle: (request, world) => {
      const all = world.commands.all(scopeOf(request, world)).map(({ json }) => json)
      return ok(request.query.get('with_localizations') === 'true' ? all : all.map(withoutLocalizations))
    },
  },
  {
    method: 'PUT',
    path: `${scope}/commands`,
    handle: (request, world) =>
      ok(world.commands.replace(request.body, scopeOf(request, world)).map(({ json }) => json)),
  },
  {
    method: 'POST',
    path: `${scope}/commands`,
    handle: (request, world) => {
      const { command, isNew } = world.commands.create(request.body, scopeOf(request, world))
      return ok(command.json, isNew ? 201 : 200)
    },
  },
  {
    method: 'PATCH',
    path: `${scope}/commands/:command`,
    handle: (request, world) => {
      if (!isJson(request.body)) throw ApiError.of(50035)
      return ok(world.commands.edit(request.params.command!, request.body, scopeOf(request, world)).json)
    },
  },
  {
    method: 'DELETE',
    path: `${scope}/commands/:command`,
    handle: (request, world) => {
      world.commands.remove(request.params.command!, scopeOf(request, world))
      return NO_CONTENT
    },
  },
])

/** A list omits translations unless they are requested; those of options are included. */
function withoutLocalizations(json: Json): Json {
  const { name_localizations: _, description_localizations: __, ...rest } = json
  return rest
}

/** The guild of the commands, or undefined. */
function scopeOf({ params }: ApiRequest, world: World): string | undefined {
  if (params.application !== world.application.id) throw ApiError.of(20012)
  return params.guild === undefined ? undefined : guildOf(world, params.guild).id
}

export const INTERACTION_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/interactions/:interaction/:token/callback',
    auth: 'path',
    handle: ({ params, query, body }, { interactions }) => {
      if (!isJson(body)) throw ApiError.of(50035)
      const interaction = interactions.get(params.interaction!, params.token!)
      interaction.acknowledge(body)
      if (query.get('with_response') !== 'true') return NO_CONTENT
      const { original } = interaction
      return ok({
        interaction: {
          id: interaction.id,
          type: interaction.options.kind === 'component' ? 3 : 2,
          response_message_id: original?.id,
          response_message_loading: original?.loading ?? false,
          response_message_ephemeral: original?.ephemeral ?? false,
        },
        resource: { type: body.type, ...(original ? { message: original.json } : {}) },
      })
    },
  },
]
