/**
 * Settings of a service that never counts as lagging, for tests of results on a busy machine.
 */
export const NEVER_LATE = {
  admitBehindMs: 60_000,
  maxBehindMs: 60_000,
  endBehindMs: 120_000,
  limits: { maxLateMs: 60_000 },
} as const
