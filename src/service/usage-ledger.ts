import type { Clock } from '../common/clock.ts'
import { DAY_MS, MINUTE_MS } from '../common/durations.ts'

const CHARACTERS_PER_SECOND = 15

/** Returns the audio as which a text of `characters` counts: the time it takes to speak it (ms). */
export function spokenMs(characters: number): number {
  return (characters * 1_000) / CHARACTERS_PER_SECOND
}

/** Quota of audio per 24 hours. */
export class AudioQuota {
  readonly #usage: RollingUsage
  /** Maximum minutes; can change at any time. */
  minutes: number

  /** Counts in `usage`. */
  constructor(usage: RollingUsage, minutes: number) {
    this.#usage = usage
    this.minutes = minutes
  }

  /** Remaining audio (ms), never negative. */
  get leftMs(): number {
    return Math.max(0, this.minutes * MINUTE_MS - this.#usage.used)
  }

  /** Time until the oldest usage expires (ms); 0 without usage. */
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

/** Usage expires in slices of this length (ms). */
export const SLICE_MS = 15 * MINUTE_MS
const SLICES = DAY_MS / SLICE_MS

/** Amounts by slice; a slice is identified by the number of slices since 1970. */
export type UsageSlices = ReadonlyMap<number, number>

/** Returns the oldest slice that still counts at `now` (ms since 1970). */
export function oldestSlice(now: number): number {
  return Math.floor(now / SLICE_MS) - SLICES
}

/**
 * The usage of one key or engine in the last 24 hours: milliseconds of audio, or millionths of a currency. A rolling
 * window instead of a calendar day: limits do not all reset at midnight, and no time zone is needed. Usage is counted in
 * slices of 15 minutes and never expires early, so a quota takes up to 24 h 15 min to recover.
 */
export class RollingUsage {
  readonly #clock: Clock
  readonly #originMs: number
  /** As last saved, by any process. */
  #saved = new Map<number, number>()
  /** Added here since the last save. */
  readonly #fresh = new Map<number, number>()

  /** `originMs`: the time since 1970 at which `clock` was 0. */
  constructor(clock: Clock, originMs: number) {
    this.#clock = clock
    this.#originMs = originMs
  }

  /** The sum of the last 24 hours. */
  get used(): number {
    this.#forget()
    let sum = 0
    for (const ms of this.#saved.values()) sum += ms
    for (const ms of this.#fresh.values()) sum += ms
    return sum
  }

  /** Time until the oldest usage expires (ms); 0 without usage. */
  get lessInMs(): number {
    this.#forget()
    const oldest = Math.min(...this.#saved.keys(), ...this.#fresh.keys())
    return oldest === Number.POSITIVE_INFINITY ? 0 : (oldest + SLICES + 1) * SLICE_MS - this.#now
  }

  /** Usage that is not saved yet. */
  get fresh(): UsageSlices {
    return new Map(this.#fresh)
  }

  add(amount: number): void {
    const slice = Math.floor(this.#now / SLICE_MS)
    if (!this.#fresh.has(slice)) this.#forget()
    this.#fresh.set(slice, (this.#fresh.get(slice) ?? 0) + amount)
  }

  /** Records that `saved` is now the saved state, which includes `counted` of the fresh usage. */
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

/** Usage by the mark of each key or engine. */
export type UsageByKey = ReadonlyMap<string, UsageSlices>

/** Usage of all keys and engines. A key that is removed and added again keeps its count. */
export class UsageLedger {
  readonly #clock: Clock
  readonly #originMs: number
  readonly #usages = new Map<string, RollingUsage>()

  /** `originMs`: the time since 1970 at which `clock` was 0. */
  constructor(clock: Clock, originMs: number) {
    this.#clock = clock
    this.#originMs = originMs
  }

  /** Monotonic time in milliseconds since 1970. */
  get now(): number {
    return this.#clock.now() + this.#originMs
  }

  /** Returns the usage with this mark: the digest of a key, or the name of an engine’s budget. */
  of(mark: string): RollingUsage {
    let usage = this.#usages.get(mark)
    if (!usage) {
      usage = new RollingUsage(this.#clock, this.#originMs)
      this.#usages.set(mark, usage)
    }
    return usage
  }

  /** Usage that is not saved yet. */
  get fresh(): UsageByKey {
    const all = Array.from(this.#usages, ([mark, { fresh }]) => [mark, fresh] as const)
    return new Map(all.filter(([, fresh]) => fresh.size > 0))
  }

  /** Records that `saved` is now the saved state, which includes `counted` of the fresh usage. */
  settle(saved: UsageByKey, counted: UsageByKey): void {
    for (const mark of new Set([...saved.keys(), ...counted.keys()]))
      this.of(mark).settle(saved.get(mark) ?? new Map(), counted.get(mark) ?? new Map())
  }
}
