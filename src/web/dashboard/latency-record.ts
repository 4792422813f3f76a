import type { UtteranceEvent } from '../../core/model/events.ts'
import { QUANTILES_KEPT, UTTERANCES_KEPT } from './page/figures.ts'
import type { Quantiles, Stages, UtteranceFigures } from './protocol.ts'
import { Recent } from './recent.ts'

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

  /** Nobody called `second` for a while. */
  forgetQuantiles(): void {
    this.#stretches.splice(0, this.#stretches.length, [])
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
