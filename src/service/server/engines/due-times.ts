import type { Clock } from '../../../core/clock.ts'

/** Audio that comes faster than speech (after a reconnection, from a file) is expected to be understood so much faster. */
const RUSH = 1.25

/** How long audio may take that comes faster than it is spoken (ms). */
export function rushed(audioMs: number): number {
  return audioMs / RUSH
}

/**
 * When audio is due to be understood: as it comes, or, where it comes faster than it was spoken, 1.25 times as fast as
 * speech. What is not understood by then is late. One for each stream.
 */
export class DueTimes {
  readonly #clock: Clock
  #next = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** `audioMs` of audio have come; answers when its beginning is due. `caughtUp`: nothing that came before still waits. */
  came(audioMs: number, caughtUp = false): number {
    const now = this.#clock.now()
    const due = caughtUp ? now : Math.max(now, this.#next)
    this.#next = due + rushed(audioMs)
    return due
  }

  /** When the last sample that came is due. */
  get last(): number {
    return this.#next
  }

  /** How long ago `due` was (ms); 0 when it is still to come, or undefined. */
  late(due: number | undefined): number {
    return due === undefined ? 0 : Math.max(0, this.#clock.now() - due)
  }
}
