import { z } from 'zod'
import { streamSettingsSchema } from './limits.ts'
import { numbersSchema } from './number-settings.ts'

/** Settings that every carrier has in its section. */
export const carrierFields = {
  insecure: z
    .boolean()
    .default(false)
    .meta({ about: 'Accept unsigned requests from this machine, for testing.' }),
  limits: streamSettingsSchema.prefault({}),
  numbers: numbersSchema,
}
