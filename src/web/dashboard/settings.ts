import { z } from 'zod'

/** Settings of the dashboard, which requires a key of `control.keys`. */
export const dashboardSettingsSchema = z.strictObject({
  maxViewers: z
    .int()
    .min(1)
    .max(1_000)
    .default(20)
    .meta({ about: 'Maximum number of open dashboard pages.' }),
  simulatedCalls: z.int().min(0).max(100).default(4).meta({
    about: 'Maximum number of concurrent simulated calls placed from the dashboard. 0 disables them.',
  }),
  simulatedMinutes: z
    .int()
    .min(1)
    .max(240)
    .default(10)
    .meta({ about: 'Duration after which a simulated call is hung up.' }),
})

export type DashboardSettings = z.infer<typeof dashboardSettingsSchema>
