/** How a translation is played: as it is, with its pauses trimmed, or faster than spoken as well. */
export interface Pace {
  readonly trim: boolean
  readonly factor: number
}

/** What is known of a lane when its pace is looked at. */
export interface LaneState {
  /** How late what waits there is heard (ms). */
  readonly lagMs: number
  /** By how much that is more than of late; below 0 when it falls (ms). */
  readonly trendMs: number
  /** Audio that can be played without waiting for more to come (ms); Infinity when all of it is there. */
  readonly aheadMs: number
}

/** From rest to the fastest: pauses first, then speech, by a twentieth each step. */
export const PACES: readonly Pace[] = [
  { trim: false, factor: 1 },
  { trim: true, factor: 1 },
  { trim: true, factor: 1.05 },
  { trim: true, factor: 1.1 },
  { trim: true, factor: 1.15 },
  { trim: true, factor: 1.2 },
  { trim: true, factor: 1.25 },
]
/** Lag from which each pace is taken (ms). */
const FROM_MS = [0, 250, 600, 1_000, 1_400, 1_900, 2_500]
/** A pace is kept until the lag is down to this part of where it was taken: it does not flutter. */
const UNTIL = 0.4
/** With less than this to play, what comes is not waited for faster (ms). */
const STARVING_MS = 400

/** Index in `PACES` of an utterance that is not late. */
export const REST = 0

/**
 * The next pace after `pace` (an index of `PACES`), one step at a time, so that nobody hears it change. A lag that grows
 * counts as what it will soon be. Pure.
 */
export function nextPace(pace: number, { lagMs, trendMs, aheadMs }: LaneState): number {
  if (aheadMs < STARVING_MS) return REST
  const expected = lagMs + Math.max(0, trendMs)
  const up = FROM_MS[pace + 1]
  if (up !== undefined && expected >= up) return pace + 1
  if (pace > REST && lagMs < FROM_MS[pace]! * UNTIL) return pace - 1
  return pace
}
