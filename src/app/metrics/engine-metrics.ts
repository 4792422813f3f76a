import type { Metric } from 'prom-client'
import {
  type EngineFigures,
  FIRST_RESULT_BOUNDS,
  OUTCOMES,
  type StandIn,
} from '../../service/engines/usage/engine-figures.ts'
import type { KeyFigures } from '../../service/server/keys/key-holder.ts'
import { histogram, type Labeled, labeled } from '../../web/metrics/metric.ts'

/** Figures of the engines of the embedded service; undefined while it does not run. */
export interface EngineSources {
  readonly engines: readonly EngineFigures[]
  readonly standIns: readonly StandIn[]
  readonly keys: readonly KeyFigures[]
}

const BY_ENGINE = ['kind', 'engine']

/** Metrics of each engine and API key of the embedded service. They start again when its process does. */
export function engineMetrics(sources: () => EngineSources | undefined): Metric[] {
  const engines = () => sources()?.engines ?? []
  const per = (read: (figures: EngineFigures) => readonly (readonly [string, number])[]): Labeled =>
    engines().flatMap(each =>
      read(each).map(([label, value]) => [[each.kind, each.engine, label], value] as const),
    )
  const each = (read: (figures: EngineFigures) => number): Labeled =>
    engines().map(figures => [[figures.kind, figures.engine], read(figures)] as const)
  return [
    labeled(
      'dragoman_engine_requests_total',
      'Requests to an engine by outcome: streams recognized, texts translated, utterances spoken.',
      [...BY_ENGINE, 'outcome'],
      () => per(({ requests }) => OUTCOMES.map(outcome => [outcome, requests[outcome]])),
    ),
    labeled(
      'dragoman_engine_audio_seconds_total',
      'Audio given to an engine (in), and made by it (out).',
      [...BY_ENGINE, 'direction'],
      () => per(({ audioSeconds }) => Object.entries(audioSeconds)),
    ),
    labeled('dragoman_engine_characters_total', 'Characters of the text given to an engine.', BY_ENGINE, () =>
      each(({ characters }) => characters),
    ),
    labeled(
      'dragoman_engine_tokens_total',
      'Tokens, as reported by an engine: of its input (in), and of its output (out).',
      [...BY_ENGINE, 'direction'],
      () => per(({ tokens }) => Object.entries(tokens)),
    ),
    labeled('dragoman_engine_connections', 'Open streams of speech.', BY_ENGINE, () =>
      each(({ connections }) => connections),
    ),
    labeled(
      'dragoman_engine_renewals_total',
      'Connections that replaced one at its maximum age.',
      BY_ENGINE,
      () => each(({ renewals }) => renewals),
    ),
    histogram(
      'dragoman_engine_first_result_seconds',
      'Time to a first result: from the start of an utterance to its first text, from a text to its translation or first sound.',
      BY_ENGINE,
      FIRST_RESULT_BOUNDS,
      () => engines().map(({ kind, engine, firstResult }) => [[kind, engine], firstResult] as const),
    ),
    labeled(
      'dragoman_engine_cost_total',
      'Cost of an engine since the service started, by its `price`.',
      [...BY_ENGINE, 'currency'],
      () => per(({ cost }) => (cost ? [[cost.currency, cost.amount]] : [])),
    ),
    labeled('dragoman_engine_over_budget', '1 while the budget of an engine is used up.', BY_ENGINE, () =>
      each(({ overBudget }) => Number(overBudget)),
    ),
    labeled(
      'dragoman_engine_replaced',
      '1 while another engine serves instead of this one.',
      [...BY_ENGINE, 'instead'],
      () =>
        (sources()?.standIns ?? []).map(({ kind, engine, instead }) => [[kind, engine, instead], 1] as const),
    ),
    ...keyMetrics(() => sources()?.keys ?? []),
  ]
}

function keyMetrics(keys: () => readonly KeyFigures[]): Metric[] {
  return [
    labeled('dragoman_service_key_sessions', 'Open sessions of an API key.', ['key'], () =>
      keys().map(({ name, sessions }) => [[name], sessions] as const),
    ),
    labeled(
      'dragoman_service_key_audio_seconds_total',
      'Audio received with an API key; text counts as the time it takes to speak it.',
      ['key'],
      () => keys().map(({ name, audioSeconds }) => [[name], audioSeconds] as const),
    ),
    labeled(
      'dragoman_service_key_audio_left_seconds',
      'Audio left of the daily limit of an API key, if it has one.',
      ['key'],
      () =>
        keys().flatMap(({ name, leftSeconds }) =>
          leftSeconds === undefined ? [] : [[[name], leftSeconds] as const],
        ),
    ),
  ]
}
