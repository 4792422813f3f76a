/** The calendar time in milliseconds since 1970, which can jump. For dates and signatures; durations use a `Clock`. */
export type WallClock = () => number

export const systemWallClock: WallClock = () => Date.now()

/** Formats `ms` since 1970 as `2026-11-20T10:00:00.000Z`. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
