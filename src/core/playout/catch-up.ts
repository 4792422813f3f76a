/** Playback rate of a translation: unchanged, with pauses trimmed, or also faster than spoken. */
export interface Pace {
  readonly trim: boolean
  readonly factor: number
}

/** State of a translation queue from which its pace is chosen. */
export interface LaneState {
  /** Delay of the queued speech (ms). */
  readonly lagMs: number
  /** Difference from the recent average lag; negative while the lag decreases (ms). */
  readonly trendMs: number
  /** Audio that can be played without waiting for more (ms); Infinity if it is complete. */
  readonly aheadMs: number
}

/** All paces from normal to fastest: pauses are trimmed first, then speech speeds up in steps of 5 %. */
export const PACES: readonly Pace[] = [
  { trim: false, factor: 1 },
  { trim: true, factor: 1 },
  { trim: true, factor: 1.05 },
  { trim: true, factor: 1.1 },
  { trim: true, factor: 1.15 },
  { trim: true, factor: 1.2 },
  { trim: true, factor: 1.25 },
]
/** Lag from which each pace applies (ms). */
const FROM_MS = [0, 250, 600, 1_000, 1_400, 1_900, 2_500]
/** Hysteresis: a pace is kept until the lag falls below this share of the lag at which it applies. */
const UNTIL = 0.4
/** With less audio than this, playback returns to normal instead of draining the queue (ms). */
const STARVING_MS = 400

/** Index in `PACES` of the normal pace. */
export const REST = 0

/**
 * Returns the pace after `pace` (indexes of `PACES`), at most one step away, so that the change is inaudible. A growing
 * lag is extrapolated. Pure.
 */
export function nextPace(pace: number, { lagMs, trendMs, aheadMs }: LaneState): number {
  if (aheadMs < STARVING_MS) return REST
  const expected = lagMs + Math.max(0, trendMs)
  const up = FROM_MS[pace + 1]
  if (up !== undefined && expected >= up) return pace + 1
  if (pace > REST && lagMs < FROM_MS[pace]! * UNTIL) return pace - 1
  return pace
}
