import { isJson } from '../../json.ts'
import { ApiError } from '../api-error.ts'
import { NO_CONTENT, ok } from '../api-request.ts'
import type { Route } from '../route.ts'

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
          type: interaction.terms.kind === 'component' ? 3 : 2,
          response_message_id: original?.id,
          response_message_loading: original?.loading ?? false,
          response_message_ephemeral: original?.ephemeral ?? false,
        },
        resource: { type: body.type, ...(original ? { message: original.json } : {}) },
      })
    },
  },
]
