import type { AudioUsage } from './audio-usage.ts'

const MINUTE_MS = 60_000

/** Audio that may be used within any 24 hours. */
export class AudioAllowance {
  readonly #usage: AudioUsage
  /** Most minutes; may change at any time. */
  minutes: number

  /** Counts in `usage`. */
  constructor(usage: AudioUsage, minutes: number) {
    this.#usage = usage
    this.minutes = minutes
  }

  /** Audio that may still be used now (ms); 0 or more. */
  get leftMs(): number {
    return Math.max(0, this.minutes * MINUTE_MS - this.#usage.usedMs)
  }

  /** How long until some of what was used is forgotten; 0 when nothing was. */
  get moreInMs(): number {
    return this.#usage.lessInMs
  }

  /** Takes `ms` of audio whole and answers true, or takes nothing. */
  take(ms: number): boolean {
    if (this.minutes !== Number.POSITIVE_INFINITY && ms > this.leftMs) return false
    this.#usage.add(ms)
    return true
  }
}
