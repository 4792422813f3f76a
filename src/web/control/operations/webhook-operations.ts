import { z } from 'zod'
import { webhookSchema } from '../answer-schemas.ts'
import { operation } from '../operation.ts'

export const listWebhooks = operation({
  id: 'listWebhooks',
  method: 'GET',
  path: '/webhooks',
  group: 'Webhooks',
  summary: 'How the receivers of webhooks do',
  about: 'Those of the settings (`webhooks`), by name; addresses and secrets are not shown.',
  status: 200,
  answer: z.strictObject({ webhooks: z.array(webhookSchema) }),
  errors: [],
  run: floor => ({ webhooks: floor.webhooks.stats }),
})
