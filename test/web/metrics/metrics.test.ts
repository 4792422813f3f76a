import { type Metric, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import { Histogram } from '../../../src/common/histogram.ts'
import { Observer } from '../../../src/core/model/events.ts'
import { EventMetrics } from '../../../src/web/metrics/event-metrics.ts'
import { histogram, inSeconds, labeled, listedMetrics, single } from '../../../src/web/metrics/metric.ts'
import { relayMetrics } from '../../../src/web/metrics/relay-metrics.ts'
import { rooms } from '../../support/relay/rooms.ts'

function registered(metrics: readonly Metric[]): Registry {
  const registry = new Registry()
  for (const metric of metrics) registry.registerMetric(metric)
  return registry
}

async function linesOf(registry: Registry): Promise<string[]> {
  return (await registry.metrics()).split('\n').filter(line => line !== '' && !line.startsWith('#'))
}

test('each scrape reads the figures again; a metric that fails or has none does not affect the others', async () => {
  let count = 2
  const registry = registered([
    single('dragoman_a', 'One.', () => 1.5),
    single('dragoman_broken', 'Fails.', () => {
      throw new Error('not now')
    }),
    single('dragoman_absent', 'Nothing to tell.', () => undefined),
    labeled('dragoman_b_total', 'Two.', ['why', 'where'], () => [
      [['a "b"\n\\', 'here'], count],
      ...(count === 2 ? [[['gone', 'there'], 1] as const] : []),
    ]),
    histogram('dragoman_c', 'Fails.', [], [1], () => {
      throw new Error('not now')
    }),
  ])
  expect(await linesOf(registry)).toEqual([
    'dragoman_a 1.5',
    'dragoman_b_total{why="a \\"b\\"\\n\\\\",where="here"} 2',
    'dragoman_b_total{why="gone",where="there"} 1',
  ])
  count = 3
  expect(await linesOf(registry)).toEqual([
    'dragoman_a 1.5',
    'dragoman_b_total{why="a \\"b\\"\\n\\\\",where="here"} 3',
  ])
  expect(await registry.metrics()).toContain('# TYPE dragoman_b_total counter')
  expect(listedMetrics(registry).map(({ name, type, labelNames }) => [name, type, labelNames])).toEqual([
    ['dragoman_a', 'gauge', []],
    ['dragoman_broken', 'gauge', []],
    ['dragoman_absent', 'gauge', []],
    ['dragoman_b_total', 'counter', ['why', 'where']],
    ['dragoman_c', 'histogram', []],
  ])
})

test('a histogram is within 5 % of every bound, and its counts never decrease', () => {
  const all = new Histogram()
  for (let ms = 1; ms <= 10_000; ms += 1) all.record(ms)
  const bounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 9]
  const { upTo, sum, count } = inSeconds(all, bounds)
  for (const [at, bound] of bounds.entries()) {
    expect(upTo[at]).toBeGreaterThanOrEqual(bound * 950 - 1)
    expect(upTo[at]).toBeLessThanOrEqual(bound * 1_050 + 1)
  }
  expect(upTo).toEqual(upTo.toSorted((a, b) => a - b))
  expect([count, sum]).toEqual([10_000, 50_005])
})

test('a histogram has the lines of Prometheus’ format', async () => {
  const registry = registered([
    histogram('dragoman_h', 'Times.', ['stage'], [0.1, 1], () => [
      [['one'], { upTo: [1, 2], sum: 9, count: 3 }],
    ]),
  ])
  expect(await linesOf(registry)).toEqual([
    'dragoman_h_bucket{stage="one",le="0.1"} 1',
    'dragoman_h_bucket{stage="one",le="1"} 2',
    'dragoman_h_bucket{stage="one",le="+Inf"} 3',
    'dragoman_h_sum{stage="one"} 9',
    'dragoman_h_count{stage="one"} 3',
  ])
})

test('counts listeners by language, and not as participants', async () => {
  const { join, relay } = await rooms()
  join('anna', { speaks: 'en-us', hears: 'en-us' })
  for (const [hears, listeners] of [
    ['es-es', 20],
    ['de-de', 3],
  ] as const)
    relay.admit(Object.assign(new FakeLeg(hears), { listeners }), { room: 'r', hears })
  const lines = await linesOf(registered(relayMetrics(relay)))
  expect(lines.filter(line => /^dragoman_(listeners|participants|legs)[ {]/.test(line)).sort()).toEqual([
    'dragoman_legs 3',
    'dragoman_listeners{language="de-de"} 3',
    'dragoman_listeners{language="es-es"} 20',
    'dragoman_participants{channel="fake"} 1',
  ])
  await relay.close()
})

test('counts observed events until it is disposed', async () => {
  const observer = new Observer()
  const events = new EventMetrics(observer, ['twilio'])
  const registry = registered(events.metrics)
  const recording = (id: string, state: 'notice' | 'recording' | 'ended') =>
    observer.emit('recording', { room: 'r', recording: id, state })
  recording('1', 'notice')
  recording('2', 'recording')
  recording('1', 'ended')
  const pair = { room: 'r', speaker: 's', listener: 'p', to: 'es-es' }
  observer.emit('reception', { ...pair, gets: 'unavailable', why: 'no-place', missed: true, missedMs: 0 })
  observer.emit('reception', { ...pair, gets: 'translated', missed: false, missedMs: 1_500 })
  const lines = await linesOf(registry)
  expect(lines).toContain('dragoman_recordings 1')
  expect(lines).toContain('dragoman_listener_outage_seconds_total 1.5')
  expect(lines).toContain('dragoman_participants_left_total{channel="twilio",reason="failed"} 0')
  events[Symbol.dispose]()
  recording('3', 'recording')
  expect(await linesOf(registry)).toContain('dragoman_recordings 1')
})
