import { z } from 'zod'
import { trustedProxiesSchema } from './client-address.ts'

const limitsShape = {
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
  maxMemoryShare: z.number().min(0.1).max(1).default(0.85).meta({
    about:
      'Reject new calls and sessions while this program uses more than this share of its available memory.',
  }),
} as const

/** Limits of the bridge server that depend on its surroundings; the others are constants (`server-limits.ts`). */
export const limitSettingsSchema = z.strictObject(limitsShape)

/** The same of the embedded service. */
export const serviceLimitsSchema = z.strictObject({
  ...limitsShape,
  // Delays of results have their own limit (`admitLagMs`).
  maxEventLoopLagMs: z
    .int()
    .min(100)
    .max(3_600_000)
    .default(2_000)
    .meta({ about: 'Reject new sessions while timers run later than this (ms).' }),
})

export type LimitSettings = z.infer<typeof limitSettingsSchema>
