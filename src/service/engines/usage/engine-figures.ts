import type { EngineKind } from '../engine.ts'

/** Upper bounds of the histogram of first results (s). */
export const FIRST_RESULT_BOUNDS = [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10] as const

/** The outcome of a request: a stream closed, a text translated, an utterance spoken. */
export const OUTCOMES = ['ok', 'failed', 'over_budget'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** An engine that serves instead of a preferred one. */
export interface StandIn {
  readonly kind: EngineKind
  /** The engine that was to serve. */
  readonly engine: string
  /** The engine that serves. */
  readonly instead: string
  /** `over_budget`: its budget is used up. */
  readonly why: Exclude<Outcome, 'ok'>
  /** Time of the first replacement (ms since 1970). */
  readonly since: number
}

/** An engine of the settings, or a model, that could not be created. */
export interface MissingEngine {
  readonly kind: EngineKind
  readonly engine: string
  /** Starts with the name of the engine; never contains a key. */
  readonly reason: string
}

/** The figures of one engine since the service started. Plain values: they cross from process to process. */
export interface EngineFigures {
  readonly kind: EngineKind
  /** Unique within its kind: the name of the engine, with a number from the second one on. */
  readonly engine: string
  readonly requests: Readonly<Record<Outcome, number>>
  /** Audio given to the engine and made by it (s). */
  readonly audioSeconds: { readonly in: number; readonly out: number }
  /** Characters of the text given to it. */
  readonly characters: number
  /** As reported by the engine. */
  readonly tokens: { readonly in: number; readonly out: number }
  /** Open streams of speech. */
  readonly connections: number
  /** Connections that replaced one at its maximum age, as reported by the engine. */
  readonly renewals: number
  /** Counts up to each of `FIRST_RESULT_BOUNDS`, cumulative, the sum (s), and the number of results. */
  readonly firstResult: { readonly upTo: readonly number[]; readonly sum: number; readonly count: number }
  /** Absent without a price. */
  readonly cost?: { readonly currency: string; readonly amount: number } | undefined
  readonly overBudget: boolean
}
