import type { Clock } from '../../core/clock.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Audio is forgotten in slices of time (ms). */
export const SLICE_MS = 15 * MINUTE_MS
const SLICES = DAY_MS / SLICE_MS

/** Audio (ms) by slice: the number of slices since 1970. */
export type UsageSlices = ReadonlyMap<number, number>

/** The oldest slice that still counts at `now` (ms since 1970). */
export function oldestSlice(now: number): number {
  return Math.floor(now / SLICE_MS) - SLICES
}

/**
 * Audio that one key has used in the last 24 hours. A window that rolls, not a calendar day: it has no midnight at which
 * everybody starts anew, and it needs no time zone. Counted in slices of a quarter of an hour and never forgotten
 * early, so it takes up to 24 h 15 min until an allowance is back.
 */
export class AudioUsage {
  readonly #clock: Clock
  readonly #originMs: number
  /** As it was last saved, by whomever. */
  #saved = new Map<number, number>()
  /** What was added here since. */
  readonly #fresh = new Map<number, number>()

  /** `originMs`: the time since 1970 at which `clock` was 0. */
  constructor(clock: Clock, originMs: number) {
    this.#clock = clock
    this.#originMs = originMs
  }

  /** Audio used (ms). */
  get usedMs(): number {
    this.#forget()
    let sum = 0
    for (const ms of this.#saved.values()) sum += ms
    for (const ms of this.#fresh.values()) sum += ms
    return sum
  }

  /** How long until some of it is forgotten; 0 when nothing was used. */
  get lessInMs(): number {
    this.#forget()
    const oldest = Math.min(...this.#saved.keys(), ...this.#fresh.keys())
    return oldest === Number.POSITIVE_INFINITY ? 0 : (oldest + SLICES + 1) * SLICE_MS - this.#now
  }

  /** What was added and is not saved yet. */
  get fresh(): UsageSlices {
    return new Map(this.#fresh)
  }

  add(ms: number): void {
    const slice = Math.floor(this.#now / SLICE_MS)
    if (!this.#fresh.has(slice)) this.#forget()
    this.#fresh.set(slice, (this.#fresh.get(slice) ?? 0) + ms)
  }

  /** What is saved now; `counted` of what was fresh here is in it. */
  settle(saved: UsageSlices, counted: UsageSlices): void {
    this.#saved = new Map(saved)
    for (const [slice, ms] of counted) {
      const left = (this.#fresh.get(slice) ?? 0) - ms
      if (left > 0) this.#fresh.set(slice, left)
      else this.#fresh.delete(slice)
    }
  }

  get #now(): number {
    return this.#clock.now() + this.#originMs
  }

  #forget(): void {
    const oldest = oldestSlice(this.#now)
    for (const slices of [this.#saved, this.#fresh])
      for (const slice of slices.keys()) if (slice < oldest) slices.delete(slice)
  }
}
