import { z } from 'zod'

/** Access to the metrics at `/metrics`. */
export const metricsSettingsSchema = z.strictObject({
  access: z.enum(['local', 'key', 'open']).default('local').meta({
    about:
      'Access to `/metrics`: `local`, programs on this machine and clients with a key of `control.keys`; `key`, only the latter; `open`, everyone.',
  }),
})

export type MetricsSettings = z.infer<typeof metricsSettingsSchema>
