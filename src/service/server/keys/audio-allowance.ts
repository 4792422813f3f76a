import type { AudioUsage } from './audio-usage.ts'

const MINUTE_MS = 60_000

/** Quota of audio per 24 hours. */
export class AudioAllowance {
  readonly #usage: AudioUsage
  /** Maximum minutes; can change at any time. */
  minutes: number

  /** Counts in `usage`. */
  constructor(usage: AudioUsage, minutes: number) {
    this.#usage = usage
    this.minutes = minutes
  }

  /** Remaining audio (ms), never negative. */
  get leftMs(): number {
    return Math.max(0, this.minutes * MINUTE_MS - this.#usage.usedMs)
  }

  /** Time until the oldest usage expires (ms); 0 when nothing was used. */
  get moreInMs(): number {
    return this.#usage.lessInMs
  }

  /** Counts `ms` of audio and returns true, or returns false without counting any of it. */
  take(ms: number): boolean {
    if (this.minutes !== Number.POSITIVE_INFINITY && ms > this.leftMs) return false
    this.#usage.add(ms)
    return true
  }
}
