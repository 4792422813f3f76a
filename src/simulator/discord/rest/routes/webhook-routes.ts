import type { Interaction } from '../../interaction/interaction.ts'
import { readDraft } from '../../message/draft.ts'
import type { World } from '../../world.ts'
import { ApiError } from '../api-error.ts'
import { NO_CONTENT, ok } from '../api-request.ts'
import type { Route } from '../route.ts'

const MESSAGE = '/webhooks/:webhook/:token/messages/:message'

export const WEBHOOK_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/webhooks/:webhook/:token',
    auth: 'path',
    handle: ({ params, body }, world) => ok(interactionOf(world, params).followUp(readDraft(body)).json),
  },
  {
    method: 'GET',
    path: MESSAGE,
    auth: 'path',
    handle: ({ params }, world) => ok(interactionOf(world, params).message(params.message!).json),
  },
  {
    method: 'PATCH',
    path: MESSAGE,
    auth: 'path',
    handle: ({ params, body }, world) => {
      const interaction = interactionOf(world, params)
      const message = interaction.message(params.message!)
      const draft = readDraft(body)
      if (message === interaction.original) interaction.edit(draft)
      else world.chat.edit(message, draft)
      return ok(message.json)
    },
  },
  {
    method: 'DELETE',
    path: MESSAGE,
    auth: 'path',
    handle: ({ params }, world) => {
      const interaction = interactionOf(world, params)
      interaction.delete(interaction.message(params.message!))
      return NO_CONTENT
    },
  },
]

function interactionOf(
  { application, interactions }: World,
  { webhook, token }: Readonly<Record<string, string>>,
): Interaction {
  const interaction = webhook === application.id ? interactions.byToken(token!) : undefined
  if (!interaction) throw ApiError.of(10015)
  return interaction
}
