import { z } from 'zod'
import { trustedProxiesSchema } from './client-address.ts'

const ms = (fallback: number) => z.int().min(100).max(3_600_000).default(fallback)
const number = (fallback: number) => z.int().min(1).max(1_000_000).default(fallback)

/** Connection limits of a server, and the thresholds above which it rejects new work. */
const serverLimitsShape = {
  headersTimeoutMs: ms(5_000).meta({ about: 'Maximum time to receive the head of a request (ms).' }),
  keepAliveTimeoutMs: ms(5_000).meta({
    about: 'Idle time after which a connection without a request is closed (ms).',
  }),
  maxConnections: number(2_000).meta({ about: 'Maximum number of connections.' }),
  connectionsPerAddress: number(64).meta({
    about: 'Maximum number of unauthenticated connections per address.',
  }),
  unauthenticatedPerSecond: number(50).meta({
    about: 'Unauthenticated requests and upgrades per second and address; bursts can be ten times as large.',
  }),
  unauthenticatedPerSecondTotal: number(500).meta({
    about: 'Unauthenticated requests and upgrades per second in total; bursts can be ten times as large.',
  }),
  exemptAddresses: trustedProxiesSchema
    .default(['loopback'])
    .meta({ about: 'Addresses and networks exempt from limits per address, in addition to `trustProxy`.' }),
  maxEventLoopLagMs: number(500).meta({ about: 'Reject new calls while timers run later than this (ms).' }),
  maxMemoryShare: z.number().min(0.1).max(1).default(0.85).meta({
    about:
      'Reject new calls and sessions while this program uses more than this share of its available memory.',
  }),
} as const

/** Limits of the bridge server. */
export const limitSettingsSchema = z.strictObject({
  ...serverLimitsShape,
  requestTimeoutMs: ms(9_000).meta({ about: 'Maximum time to receive a complete request (ms).' }),
  connectionTimeoutMs: ms(60_000).meta({
    about: 'Idle time after which a stalled connection is closed, except for media streams (ms).',
  }),
})

/** Limits of the embedded service: one bridge can open many sessions. */
export const serviceLimitsSchema = z.strictObject({
  ...serverLimitsShape,
  connectionsPerAddress: number(256).meta({
    about: 'Maximum number of unauthenticated connections per address.',
  }),
  // Delays of results have their own limit (`admitLagMs`).
  maxEventLoopLagMs: ms(2_000).meta({ about: 'Reject new sessions while timers run later than this (ms).' }),
})

export type LimitSettings = z.infer<typeof limitSettingsSchema>
export type ServerLimits = z.infer<typeof serviceLimitsSchema>
