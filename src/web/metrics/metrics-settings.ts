import { z } from 'zod'

/** Who may read the metrics at `/metrics`. */
export const metricsSettingsSchema = z.strictObject({
  access: z.enum(['local', 'key', 'open']).default('local').meta({
    about:
      'Who may read `/metrics`: `local`, programs on this machine and whoever has a key of `control.keys`; `key`, only the latter; `open`, everybody.',
  }),
})

export type MetricsSettings = z.output<typeof metricsSettingsSchema>
