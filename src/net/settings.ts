import { z } from 'zod'
import { trustedProxiesSchema } from './client-address.ts'

/** Limits of a server that depend on its surroundings; the others are constants (`server-limits.ts`). */
export const limitSettingsSchema = z.strictObject({
  keepAliveTimeoutMs: z.int().min(100).max(3_600_000).default(5_000).meta({
    about:
      'Idle time after which a connection without a request is closed (ms). Set it above the idle time of a load balancer.',
  }),
  exemptAddresses: trustedProxiesSchema
    .default(['loopback'])
    .meta({ about: 'Addresses and networks exempt from limits per address, in addition to `trustProxy`.' }),
  maxEventLoopLagMs: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(500)
    .meta({ about: 'Reject new calls while timers run later than this (ms).' }),
})

/** Those of the translation service, in which results have limits of their own for delays. */
export const serviceLimitsSchema = limitSettingsSchema.omit({ maxEventLoopLagMs: true })

export type LimitSettings = z.infer<typeof limitSettingsSchema>
