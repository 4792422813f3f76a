import type { Clock } from '../../core/clock.ts'
import { AudioUsage, type UsageSlices } from './audio-usage.ts'

/** What keys have used, by the mark of each. */
export type UsageByKey = ReadonlyMap<string, UsageSlices>

/** What every key has used: of keys that come and go, the same count each time. */
export class UsageLedger {
  readonly #clock: Clock
  readonly #originMs: number
  readonly #usages = new Map<string, AudioUsage>()

  /** `originMs`: the time since 1970 at which `clock` was 0. */
  constructor(clock: Clock, originMs: number) {
    this.#clock = clock
    this.#originMs = originMs
  }

  /** Milliseconds since 1970, which never jump. */
  get now(): number {
    return this.#clock.now() + this.#originMs
  }

  /** The count of the key with this mark. */
  of(mark: string): AudioUsage {
    let usage = this.#usages.get(mark)
    if (!usage) {
      usage = new AudioUsage(this.#clock, this.#originMs)
      this.#usages.set(mark, usage)
    }
    return usage
  }

  /** What was counted and is not saved yet. */
  get fresh(): UsageByKey {
    const all = Array.from(this.#usages, ([mark, { fresh }]) => [mark, fresh] as const)
    return new Map(all.filter(([, fresh]) => fresh.size > 0))
  }

  /** What is saved now; `counted` of what was fresh here is in it. */
  settle(saved: UsageByKey, counted: UsageByKey): void {
    for (const mark of new Set([...saved.keys(), ...counted.keys()]))
      this.of(mark).settle(saved.get(mark) ?? new Map(), counted.get(mark) ?? new Map())
  }
}
