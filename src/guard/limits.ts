import { z } from 'zod'
import { trustedProxiesSchema } from './trusted-proxies.ts'

const ms = (fallback: number) => z.int().min(100).max(3_600_000).default(fallback)
const number = (fallback: number) => z.int().min(1).max(1_000_000).default(fallback)

/** How many may knock at a server, how fast, and when nobody else is let in. */
const serverLimitsShape = {
  /** The head of a request must be there within this time. */
  headersMs: ms(5_000),
  /** A connection without a request is closed after this time. */
  idleMs: ms(5_000),
  /** Connections in all. */
  maxConnections: number(2_000),
  /** Connections from one address that have not proven who they are. */
  connectionsPerAddress: number(64),
  /** Requests and upgrades in a second that prove nothing: from one address, and from all. Ten times as many at once. */
  strangersPerSecond: number(50),
  strangersPerSecondInAll: number(500),
  /** Addresses and networks that are not limited one by one. */
  neighbours: trustedProxiesSchema.default(['loopback']),
  /** Nobody new is let in while this program does its work so late … */
  maxLateMs: number(500),
  /** … or uses so large a share of the memory that it may have. */
  maxMemoryShare: z.number().min(0.1).max(1).default(0.85),
} as const

/** Limits of the bridge server. */
export const limitsSchema = z.strictObject({
  ...serverLimitsShape,
  /** A whole request must be there within this time. */
  requestMs: ms(10_000),
  /** A connection on which nothing moves is closed after this time, unless it is a media stream. */
  stalledMs: ms(60_000),
})

/** Limits of the embedded service: many sessions may come from one bridge. */
export const serviceLimitsSchema = z.strictObject({
  ...serverLimitsShape,
  connectionsPerAddress: number(256),
  // Whether results come in time is measured by itself (`admitBehindMs`).
  maxLateMs: ms(2_000),
})

export type LimitSettings = z.output<typeof limitsSchema>
export type ServerLimits = z.output<typeof serviceLimitsSchema>
