/** Settings of a service that never counts as lagging, for tests of results on a busy machine. */
export const NEVER_LATE = { admitLagMs: 60_000 } as const

/** Limits of a server whose timers are never too late. */
export const NEVER_OVERLOADED = { maxEventLoopLagMs: 60_000 } as const
