/**
 * Settings of a service that nobody finds too slow: for tests of what is heard and answered, however busy the machine is.
 */
export const NEVER_LATE = {
  admitBehindMs: 60_000,
  maxBehindMs: 60_000,
  endBehindMs: 120_000,
  limits: { maxLateMs: 60_000 },
} as const
