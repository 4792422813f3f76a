import type { Clock } from '../../../common/clock.ts'
import { AudioUsage, type UsageSlices } from './audio-usage.ts'

/** Usage by the mark of each key. */
export type UsageByKey = ReadonlyMap<string, UsageSlices>

/** Usage of all keys. A key that is removed and added again keeps its count. */
export class UsageLedger {
  readonly #clock: Clock
  readonly #originMs: number
  readonly #usages = new Map<string, AudioUsage>()

  /** `originMs`: the time since 1970 at which `clock` was 0. */
  constructor(clock: Clock, originMs: number) {
    this.#clock = clock
    this.#originMs = originMs
  }

  /** Monotonic time in milliseconds since 1970. */
  get now(): number {
    return this.#clock.now() + this.#originMs
  }

  /** Returns the usage of the key with this mark. */
  of(mark: string): AudioUsage {
    let usage = this.#usages.get(mark)
    if (!usage) {
      usage = new AudioUsage(this.#clock, this.#originMs)
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
