import type { Clock } from '../../common/clock.ts'
import { durationMs } from '../../transcode/pcm.ts'

/** Expected recognition speed for audio that arrives faster than real time (after a reconnection, or from a file). */
const RUSH = 1.25

/** Returns the time allowed for audio that arrives faster than real time (ms). */
function rushed(audioMs: number): number {
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

/** Samples in order of arrival, read in pieces of any length. */
export class PcmQueue {
  #pieces: Int16Array[] = []
  /** Due time of each piece. */
  #dues: number[] = []
  /** Samples of the first piece already read. */
  #offset = 0
  #length = 0

  /** Number of queued samples. */
  get length(): number {
    return this.#length
  }

  /** Due time of the oldest sample; undefined if the queue is empty. */
  get due(): number | undefined {
    const first = this.#dues[0]
    return first === undefined ? undefined : first + rushed(durationMs(this.#offset))
  }

  /** Adds a copy of `pcm`, whose first sample is due at `due`. */
  push(pcm: Int16Array, due: number): void {
    if (pcm.length === 0) return
    this.#pieces.push(pcm.slice())
    this.#dues.push(due)
    this.#length += pcm.length
  }

  /** Moves up to `into.length` samples into `into`; returns their number. */
  take(into: Int16Array): number {
    let filled = 0
    while (filled < into.length) {
      const piece = this.#pieces[0]
      if (!piece) break
      const part = piece.subarray(this.#offset, this.#offset + into.length - filled)
      into.set(part, filled)
      filled += part.length
      this.#offset += part.length
      if (this.#offset === piece.length) {
        this.#pieces.shift()
        this.#dues.shift()
        this.#offset = 0
      }
    }
    this.#length -= filled
    return filled
  }

  clear(): void {
    this.#pieces = []
    this.#dues = []
    this.#offset = 0
    this.#length = 0
  }
}
