import { expect, test } from 'vitest'
import { Histogram } from '../../../src/common/histogram.ts'
import { Observer } from '../../../src/core/model/events.ts'
import { EventTally } from '../../../src/web/metrics/event-counters.ts'
import {
  Exposition,
  fieldFamilies,
  histogramFamily,
  labeled,
  single,
} from '../../../src/web/metrics/metric-family.ts'

test('formats metrics for Prometheus with escaped labels; a metric that fails does not affect the others', async () => {
  const exposition = new Exposition([
    single('dragoman_a', 'One.', () => 1.5),
    single('dragoman_broken', 'Fails.', () => {
      throw new Error('not now')
    }),
    single('dragoman_absent', 'Nothing to tell.', () => undefined),
    labeled('dragoman_b_total', 'Two.', ['why'], () => [[['a "b"\n\\'], 2]]),
  ])
  expect((await exposition.text()).split('\n').filter(line => line && !line.startsWith('#'))).toEqual([
    'dragoman_a 1.5',
    'dragoman_b_total{why="a \\"b\\"\\n\\\\"} 2',
  ])
  expect(await exposition.text()).toContain('# TYPE dragoman_b_total counter')
  expect(() => new Exposition([single('a', 'x', () => 1), single('a', 'y', () => 2)])).toThrow('already')
})

test('fields of the same name are one metric, told apart by their labels', async () => {
  const counters = { opened: 3, byAddress: 1, inTotal: 2 }
  const families = fieldFamilies<typeof counters>(
    {
      opened: ['dragoman_opened_total', 'Opened.'],
      byAddress: ['dragoman_rejected_total', 'Rejected.', 1, { scope: 'address' }],
      inTotal: ['dragoman_rejected_total', 'Rejected.', 1, { scope: 'total' }],
    },
    ['server'],
    () => [[['bridge'], counters]],
  )
  expect(families.map(({ name, labels }) => [name, labels])).toEqual([
    ['dragoman_opened_total', ['server']],
    ['dragoman_rejected_total', ['server', 'scope']],
  ])
  expect((await new Exposition(families).text()).split('\n').filter(line => /^dragoman/.test(line))).toEqual([
    'dragoman_opened_total{server="bridge"} 3',
    'dragoman_rejected_total{server="bridge",scope="address"} 1',
    'dragoman_rejected_total{server="bridge",scope="total"} 2',
  ])
})

test('a histogram is within 5 % of every bound, and its counts never decrease', () => {
  const histogram = new Histogram()
  for (let ms = 1; ms <= 10_000; ms += 1) histogram.record(ms)
  const bounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 9]
  const samples = histogramFamily('h', 'x', bounds, () => [[{}, histogram]]).samples()
  const counts = samples.filter(({ suffix }) => suffix === '_bucket').map(({ value }) => value)
  for (const [at, bound] of bounds.entries()) {
    expect(counts[at]).toBeGreaterThanOrEqual(bound * 950 - 1)
    expect(counts[at]).toBeLessThanOrEqual(bound * 1_050 + 1)
  }
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  expect(counts.at(-1)).toBe(10_000)
})

test('counts observed events until it is disposed', () => {
  const observer = new Observer()
  const tally = new EventTally(observer, ['twilio'])
  tally.start()
  const recording = (id: string, state: 'notice' | 'recording' | 'ended') =>
    observer.emit('recording', { room: 'r', recording: id, state })
  recording('1', 'notice')
  recording('2', 'recording')
  recording('1', 'ended')
  const outage = { room: 'r', speaker: 's', participant: 'p', to: 'es-es' }
  observer.emit('outage', { ...outage, active: true, durationMs: 0 })
  observer.emit('outage', { ...outage, active: false, durationMs: 1_500 })
  observer.emit('dtmf', { room: 'r', participant: 'p', digit: '5' })
  expect([tally.recordingsNow, tally.outages, tally.outageMs, tally.dtmfKeys]).toEqual([1, 1, 1_500, 1])
  tally[Symbol.dispose]()
  observer.emit('dtmf', { room: 'r', participant: 'p', digit: '5' })
  expect(tally.dtmfKeys).toBe(1)
})
