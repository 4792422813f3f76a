import { z } from 'zod'

/** Settings of the dashboard, which is open to whoever has a key of `control.keys`. */
export const dashboardSettingsSchema = z.strictObject({
  maxViewers: z
    .int()
    .min(1)
    .max(1_000)
    .default(20)
    .meta({ about: 'Pages of the dashboard that may be open at once.' }),
  simulatedCalls: z
    .int()
    .min(0)
    .max(100)
    .default(4)
    .meta({ about: 'Simulated calls at once, placed from the dashboard. 0: none can be placed.' }),
  simulatedMinutes: z
    .int()
    .min(1)
    .max(240)
    .default(10)
    .meta({ about: 'A simulated call is hung up after so long.' }),
})

export type DashboardSettings = z.output<typeof dashboardSettingsSchema>
