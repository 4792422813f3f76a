/** What time it is for people: milliseconds since 1970, which may jump. For dates and signatures; durations come from a `Clock`. */
export type WallClock = () => number

export const systemWallClock: WallClock = () => Date.now()

/** `ms` since 1970 as `2026-11-20T10:00:00.000Z`. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
