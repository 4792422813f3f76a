import { z } from 'zod'
import { trustedProxiesSchema } from './trusted-proxies.ts'

const ms = (fallback: number) => z.int().min(100).max(3_600_000).default(fallback)
const number = (fallback: number) => z.int().min(1).max(1_000_000).default(fallback)

/** Connection limits of a server, and the thresholds above which it rejects new work. */
const serverLimitsShape = {
  headersMs: ms(5_000).meta({ about: 'The head of a request must be there within this time.' }),
  idleMs: ms(5_000).meta({ about: 'A connection without a request is closed after this time.' }),
  maxConnections: number(2_000).meta({ about: 'Connections in all.' }),
  connectionsPerAddress: number(64).meta({
    about: 'Connections from one address that have not proven who they are.',
  }),
  strangersPerSecond: number(50).meta({
    about:
      'Requests and upgrades in a second that prove nothing, from one address; ten times as many at once.',
  }),
  strangersPerSecondInAll: number(500).meta({ about: 'The same, from all addresses together.' }),
  neighbours: trustedProxiesSchema
    .default(['loopback'])
    .meta({ about: 'Addresses and networks that are not limited one by one, beside trustProxy.' }),
  maxLateMs: number(500).meta({ about: 'Nobody new is let in while this program does its work so late.' }),
  maxMemoryShare: z.number().min(0.1).max(1).default(0.85).meta({
    about: 'Nobody new is let in while this program uses so large a share of the memory that it may have.',
  }),
} as const

/** Limits of the bridge server. */
export const limitsSchema = z.strictObject({
  ...serverLimitsShape,
  requestMs: ms(9_000).meta({ about: 'A whole request must be there within this time.' }),
  stalledMs: ms(60_000).meta({
    about: 'A connection on which nothing moves is closed after this time, unless it is a media stream.',
  }),
})

/** Limits of the embedded service: one bridge can open many sessions. */
export const serviceLimitsSchema = z.strictObject({
  ...serverLimitsShape,
  connectionsPerAddress: number(256).meta({
    about: 'Connections from one address that have not proven who they are.',
  }),
  // Delays of results have their own limit (`admitBehindMs`).
  maxLateMs: ms(2_000).meta({ about: 'Nobody new is let in while this program does its work so late.' }),
})

export type LimitSettings = z.output<typeof limitsSchema>
export type ServerLimits = z.output<typeof serviceLimitsSchema>
