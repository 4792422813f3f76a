import type { Clock } from '../../core/clock.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Audio is forgotten in slices of time (ms). */
const SLICE_MS = 15 * MINUTE_MS
const SLICES = DAY_MS / SLICE_MS

/**
 * Audio that may be sent within any 24 hours. A window that rolls, not a calendar day: it has no midnight at which
 * everybody starts anew, and it needs no time zone. Counted in slices of a quarter of an hour and never forgotten
 * early, so it takes up to 24 h 15 min until an allowance is back.
 */
export class AudioAllowance {
  readonly #clock: Clock
  /** Audio taken (ms), by slice, oldest first. */
  readonly #slices = new Map<number, number>()
  /** Most minutes; may change at any time. */
  minutes: number

  constructor(clock: Clock, minutes: number) {
    this.#clock = clock
    this.minutes = minutes
  }

  /** Audio that may still be taken now (ms); 0 or more. */
  get leftMs(): number {
    this.#forget()
    const used = Array.from(this.#slices.values()).reduce((sum, ms) => sum + ms, 0)
    return Math.max(0, this.minutes * MINUTE_MS - used)
  }

  /** How long until some of what was taken is forgotten; 0 when nothing was taken. */
  get moreInMs(): number {
    this.#forget()
    const [oldest] = this.#slices.keys()
    return oldest === undefined ? 0 : (oldest + SLICES + 1) * SLICE_MS - this.#clock.now()
  }

  /** Takes `ms` of audio whole and answers true, or takes nothing. */
  take(ms: number): boolean {
    if (ms > this.leftMs) return false
    const slice = this.#slice
    this.#slices.set(slice, (this.#slices.get(slice) ?? 0) + ms)
    return true
  }

  get #slice(): number {
    return Math.floor(this.#clock.now() / SLICE_MS)
  }

  #forget(): void {
    const first = this.#slice - SLICES
    for (const slice of this.#slices.keys()) if (slice < first) this.#slices.delete(slice)
  }
}
