import { z } from 'zod'

/** Keys are too long to be guessed. */
const LEAST_KEY = 24

const KEY_NAME = 'letters, digits and . _ - only, 64 at most'

const controlKeySchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, KEY_NAME)
    .describe(`a name: ${KEY_NAME}`)
    .meta({ about: 'Name of the key, for the log.' }),
  key: z
    .string()
    .min(LEAST_KEY)
    .describe(`a key of at least ${LEAST_KEY} characters`)
    .meta({ about: 'The key.' }),
})

/** Settings of the control API. */
export const controlSettingsSchema = z.strictObject({
  keys: z
    .array(controlKeySchema)
    .default([])
    .describe(`a list of { name, key }, keys of at least ${LEAST_KEY} characters`)
    .meta({ about: 'API keys. Empty: the control API is disabled.' }),
  readersPerLink: z
    .int()
    .min(1)
    .max(1_000)
    .default(200)
    .meta({ about: 'Maximum number of concurrent caption streams per link.' }),
})

export type ControlSettings = z.infer<typeof controlSettingsSchema>

/** Settings of the dashboard, which requires a key of `control.keys`. */
export const dashboardSettingsSchema = z.strictObject({
  simulatedCalls: z.int().min(0).max(100).default(4).meta({
    about: 'Maximum number of concurrent simulated calls placed from the dashboard. 0 disables them.',
  }),
})

export type DashboardSettings = z.infer<typeof dashboardSettingsSchema>

/** Access to the metrics at `/metrics`. */
export const metricsSettingsSchema = z.strictObject({
  access: z.enum(['local', 'key', 'open']).default('local').meta({
    about:
      'Access to `/metrics`: `local`, programs on this machine and clients with a key of `control.keys`; `key`, only the latter; `open`, everyone.',
  }),
})

export type MetricsSettings = z.infer<typeof metricsSettingsSchema>
