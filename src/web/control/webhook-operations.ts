import { z } from 'zod'
import { webhookSchema } from './answer-schemas.ts'
import { operation } from './operation.ts'

export const listWebhooks = operation({
  id: 'listWebhooks',
  method: 'GET',
  path: '/webhooks',
  group: 'Webhooks',
  summary: 'Gets the state of the webhook receivers',
  about: 'The receivers of the settings (`webhooks`), by name, without addresses and secrets.',
  status: 200,
  answer: z.strictObject({ webhooks: z.array(webhookSchema) }),
  errors: [],
  run: floor => ({ webhooks: floor.webhooks.stats }),
})
