import type { UtteranceEvent } from '../../core/model/events.ts'
import { QUANTILES_KEPT, UTTERANCES_KEPT } from './page/figures.ts'
import type { Quantiles, Stages, UtteranceFigures } from './protocol.ts'

/** Keeps the newest items, and counts those not yet taken. */
export class Recent<T> {
  readonly #kept: number
  readonly #most: number
  #items: T[] = []
  #fresh: T[] = []
  #missed = 0

  /** Keeps the newest `kept`; `take()` returns at most the newest `most`. */
  constructor(kept: number, most = kept) {
    if (!(kept >= 1 && most >= 1)) throw new RangeError(`at least 1 is kept, got ${kept} and ${most}`)
    this.#kept = kept
    this.#most = most
  }

  add(item: T): void {
    this.#items.push(item)
    if (this.#items.length > this.#kept) this.#items.shift()
    this.#fresh.push(item)
    if (this.#fresh.length <= this.#most) return
    this.#fresh.shift()
    this.#missed++
  }

  /** All items kept, oldest first. */
  get all(): readonly T[] {
    return this.#items
  }

  /** Returns the items since the last call, and how many more there were. */
  take(): { readonly items: readonly T[]; readonly missed: number } {
    const taken = { items: this.#fresh, missed: this.#missed }
    this.#fresh = []
    this.#missed = 0
    return taken
  }
}

/** Seconds between two points of the percentile curves. */
const EVERY_SECONDS = 10
/** Number of such periods per point: a minute. */
const STRETCHES = 6
/** Maximum number of latencies per period; further ones are ignored. */
const MOST_OF_STRETCH = 2_000

/** Latencies of single utterances, and their distribution per minute. */
export class LatencyRecord {
  readonly utterances = new Recent<UtteranceFigures>(UTTERANCES_KEPT)
  readonly quantiles = new Recent<Quantiles>(QUANTILES_KEPT)
  readonly #stretches: number[][] = [[]]
  #seconds = 0
  #utterances = 0

  /** An utterance started to play at `at` (ms since 1970). */
  begun(event: UtteranceEvent & { readonly stages?: Stages | undefined }, at: number): void {
    const { room, speaker, listener, latencyMs, stages } = event
    if (latencyMs === undefined) return
    const current = this.#stretches.at(-1)!
    if (current.length < MOST_OF_STRETCH) current.push(latencyMs)
    this.utterances.add({
      id: ++this.#utterances,
      at,
      room,
      speaker,
      listener,
      latencyMs: Math.round(latencyMs),
      stages: stages ? rounded(stages) : null,
    })
  }

  /** Called each second; `at` is the current time (ms since 1970). */
  second(at: number): void {
    if (++this.#seconds % EVERY_SECONDS !== 0) return
    this.quantiles.add(quantilesOf(this.#stretches.flat(), at))
    this.#stretches.push([])
    if (this.#stretches.length > STRETCHES) this.#stretches.shift()
  }
}

function quantilesOf(values: number[], at: number): Quantiles {
  const sorted = Float64Array.from(values).sort()
  const value = (q: number) => {
    const found = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)]
    return found === undefined ? null : Math.round(found)
  }
  return { at, count: sorted.length, p50: value(0.5), p90: value(0.9), p99: value(0.99) }
}

function rounded(stages: Stages): Stages {
  const known: Record<string, number> = {}
  for (const name of ['recognitionMs', 'translationMs', 'synthesisMs', 'networkMs', 'bridgeMs'] as const) {
    const ms = stages[name]
    if (ms !== undefined && Number.isFinite(ms)) known[name] = Math.max(0, Math.round(ms))
  }
  return known
}
