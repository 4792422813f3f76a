import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { engineMetrics } from '../../src/app/metrics/engine-metrics.ts'
import { EngineUsage } from '../../src/service/engines/usage/engine-usage.ts'

function textOf(sources: Parameters<typeof engineMetrics>[0]): Promise<string> {
  const registry = new Registry()
  for (const metric of engineMetrics(sources)) registry.registerMetric(metric)
  return registry.metrics()
}

test('the figures of every engine are metrics, as they come from another process', async () => {
  const usage = new EngineUsage({ clock: new FakeClock(), wallClock: () => 0 })
  const ears = usage.meter('transcription', 'ears', { price: { currency: 'EUR', perMinute: 0.06 } })
  usage.meter('transcription', 'ears')
  ears.audio('in', 30_000)
  ears.firstResult(250)
  ears.ended('ok')
  ears.reported({ inputTokens: 3, outputTokens: 4, renewals: 2 })
  usage.replaced('transcription', 'ears', 'ears-2', 'failed')
  const keys = [
    { name: 'shop', sessions: 2, audioSeconds: 90, leftSeconds: 30 },
    { name: 'free', sessions: 0, audioSeconds: 0 },
  ]
  const sources = JSON.parse(JSON.stringify({ engines: usage.figures, standIns: usage.standIns, keys }))
  const text = await textOf(() => sources)
  for (const line of [
    'dragoman_engine_audio_seconds_total{kind="transcription",engine="ears",direction="in"} 30',
    'dragoman_engine_requests_total{kind="transcription",engine="ears",outcome="ok"} 1',
    'dragoman_engine_requests_total{kind="transcription",engine="ears-2",outcome="ok"} 0',
    'dragoman_engine_tokens_total{kind="transcription",engine="ears",direction="out"} 4',
    'dragoman_engine_renewals_total{kind="transcription",engine="ears"} 2',
    'dragoman_engine_cost_total{kind="transcription",engine="ears",currency="EUR"} 0.03',
    'dragoman_engine_first_result_seconds_bucket{kind="transcription",engine="ears",le="0.2"} 0',
    'dragoman_engine_first_result_seconds_bucket{kind="transcription",engine="ears",le="0.3"} 1',
    'dragoman_engine_first_result_seconds_bucket{kind="transcription",engine="ears",le="+Inf"} 1',
    'dragoman_engine_first_result_seconds_sum{kind="transcription",engine="ears"} 0.25',
    'dragoman_engine_replaced{kind="transcription",engine="ears",instead="ears-2"} 1',
    'dragoman_engine_over_budget{kind="transcription",engine="ears"} 0',
    'dragoman_service_key_sessions{key="shop"} 2',
    'dragoman_service_key_audio_seconds_total{key="shop"} 90',
    'dragoman_service_key_audio_left_seconds{key="shop"} 30',
  ])
    expect(text.split('\n')).toContain(line)
  expect(text).not.toContain('dragoman_service_key_audio_left_seconds{key="free"')
  expect(text).not.toContain('dragoman_engine_cost_total{kind="transcription",engine="ears-2"')
})

test('without an embedded service there are names and no values', async () => {
  const text = await textOf(() => undefined)
  expect(text).toContain('# TYPE dragoman_engine_cost_total counter')
  expect(text.split('\n').filter(line => line !== '' && !line.startsWith('#'))).toEqual([])
})
