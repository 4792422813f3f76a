import type { Clock } from '../../../common/clock.ts'

/** Expected recognition speed for audio that arrives faster than real time (after a reconnection, or from a file). */
const RUSH = 1.25

/** Returns the time allowed for audio that arrives faster than real time (ms). */
export function rushed(audioMs: number): number {
  return audioMs / RUSH
}

/**
 * Computes when recognition of audio is due: on arrival, or, for audio that arrives faster than real time, at 1.25
 * times real time. Audio not recognized by then is late. One instance per stream.
 */
export class DueTimes {
  readonly #clock: Clock
  #next = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Records the arrival of `audioMs` of audio; returns when its start is due. `caughtUp`: no earlier audio is waiting.
   */
  came(audioMs: number, caughtUp = false): number {
    const now = this.#clock.now()
    const due = caughtUp ? now : Math.max(now, this.#next)
    this.#next = due + rushed(audioMs)
    return due
  }

  /** Time at which the last sample is due. */
  get last(): number {
    return this.#next
  }

  /** Returns how long ago `due` was (ms); 0 if it is in the future, or undefined. */
  late(due: number | undefined): number {
    return due === undefined ? 0 : Math.max(0, this.#clock.now() - due)
  }
}
