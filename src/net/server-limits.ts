/** Limits of a server for clients that have not authenticated. */
export interface ServerLimits {
  /** Time to receive the head of a request (ms). */
  readonly headersTimeoutMs: number
  readonly maxConnections: number
  /** Unauthenticated connections per address. */
  readonly connectionsPerAddress: number
  /** Unauthenticated requests and upgrades per second and address; bursts can be ten times as large. */
  readonly unauthenticatedPerSecond: number
  /** The same of all addresses. */
  readonly unauthenticatedPerSecondTotal: number
  /** Wrong keys per address and minute. */
  readonly maxAttemptsPerMinute: number
}

/**
 * They fit a server of some hundred calls: a call has one connection, and what is authenticated does not count. Addresses
 * that many people share are exempt by `limits.exemptAddresses`. Tests use smaller numbers.
 */
export const SERVER_LIMITS: ServerLimits = {
  headersTimeoutMs: 5_000,
  maxConnections: 2_000,
  connectionsPerAddress: 64,
  unauthenticatedPerSecond: 50,
  unauthenticatedPerSecondTotal: 500,
  maxAttemptsPerMinute: 10,
}

/** Connections of each call or session: a stream, and the requests about it. */
const CONNECTIONS_EACH = 4

/** Returns the number of connections of a server with so many calls or sessions. */
export function connectionsFor(calls: number): number {
  return Math.max(SERVER_LIMITS.maxConnections, calls * CONNECTIONS_EACH)
}
