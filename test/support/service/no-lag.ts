/** Settings of a service that never counts as lagging, for tests of results on a busy machine. */
export const NEVER_LATE = {
  admitLagMs: 60_000,
  limits: { maxEventLoopLagMs: 60_000 },
} as const
