import type { Clock } from './clock.ts'

/** The calendar time in milliseconds since 1970, which can jump. For dates and signatures; durations use a `Clock`. */
export type WallClock = () => number

export const systemWallClock: WallClock = () => Date.now()

/**
 * Returns a calendar time that never goes back, for deadlines of secrets: what has expired stays expired when the calendar
 * time of the machine is set back. It runs with `clock`, and follows `wall` only forward.
 */
export function neverBack(wall: WallClock, clock: Pick<Clock, 'now'>): WallClock {
  let offset = Number.NEGATIVE_INFINITY
  return () => {
    offset = Math.max(offset, wall() - clock.now())
    return offset + clock.now()
  }
}

/** Formats `ms` since 1970 as `2026-11-20T10:00:00.000Z`. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
