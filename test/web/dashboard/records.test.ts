import { expect, test } from 'vitest'
import type { UtteranceEvent } from '../../../src/core/model/events.ts'
import { ProcessPulse } from '../../../src/web/dashboard/health.ts'
import { LatencyRecord } from '../../../src/web/dashboard/latency-record.ts'
import { levelOf } from '../../../src/web/dashboard/leg-figures.ts'
import { LagCurve, participantName } from '../../../src/web/dashboard/page/figures.ts'
import { Recent } from '../../../src/web/dashboard/recent.ts'

const begun = (latencyMs?: number): UtteranceEvent => ({
  ...{ room: 'r', speaker: 'anna', listener: 'bob', utterance: 'u', stage: 'begun', audioMs: 500 },
  ...(latencyMs === undefined ? {} : { latencyMs }),
})

test('keeps the newest utterances, and reports each once', () => {
  const recent = new Recent<number>(3, 2)
  for (const n of [1, 2, 3, 4]) recent.add(n)
  expect(recent.all).toEqual([2, 3, 4])
  expect(recent.take()).toEqual({ items: [3, 4], missed: 2 })
  expect(recent.take()).toEqual({ items: [], missed: 0 })
  expect(() => new Recent(0)).toThrow('at least 1')
})

test('a point of the curve is the maximum of five seconds; five minutes are kept', () => {
  const curve = new LagCurve()
  for (const lag of [10, 30, 20, 0, 5, 7]) curve.add(lag)
  expect(curve.points).toEqual([30, 7])
  for (let n = 0; n < 1_000; n++) curve.add(n)
  expect(curve.points).toHaveLength(60)
  expect(curve.points.at(-1)).toBe(999)
})

test('quantiles cover the last minute, every ten seconds, and are empty without utterances', () => {
  const record = new LatencyRecord()
  for (let ms = 1; ms <= 100; ms++) record.begun(begun(ms), 0)
  for (let second = 1; second <= 10; second++) record.second(second * 1_000)
  expect(record.quantiles.all).toEqual([{ at: 10_000, count: 100, p50: 50, p90: 90, p99: 99 }])
  record.begun(begun(5_000), 0)
  for (let second = 11; second <= 70; second++) record.second(second * 1_000)
  expect(record.quantiles.all.at(-2)).toEqual({ at: 60_000, count: 101, p50: 51, p90: 91, p99: 100 })
  expect(record.quantiles.all.at(-1)).toEqual({ at: 70_000, count: 1, p50: 5_000, p90: 5_000, p99: 5_000 })
  for (let second = 71; second <= 80; second++) record.second(second * 1_000)
  expect(record.quantiles.all.at(-1)).toEqual({ at: 80_000, count: 0, p50: null, p90: null, p99: null })
})

test('utterances have their known stages, within bounds', () => {
  const record = new LatencyRecord()
  record.begun(begun(), 0)
  record.begun(
    { ...begun(700), stages: { recognitionMs: 400.4, networkMs: 30, bridgeMs: -1, synthesisMs: Number.NaN } },
    9,
  )
  expect(record.utterances.all).toEqual([
    {
      ...{ id: 1, at: 9, room: 'r', speaker: 'anna', listener: 'bob', latencyMs: 700 },
      stages: { recognitionMs: 400, networkMs: 30, bridgeMs: 0 },
    },
  ])
  for (let n = 0; n < 10_000; n++) record.begun(begun(n), 0)
  expect(record.utterances.all).toHaveLength(40)
  for (let second = 1; second <= 10; second++) record.second(second)
  expect(record.quantiles.all.at(-1)?.count).toBe(2_000)
})

test.each([
  [0, 0],
  [0.001, 0],
  [0.1, 67],
  [1, 100],
  [Number.NaN, 0],
])('a level of %d is shown as %d of 100', (level, shown) => expect(levelOf(level)).toBe(shown))

test('process figures cover the time since the last call', () => {
  const pulse = new ProcessPulse()
  pulse.start()
  const until = process.cpuUsage().user + 30_000
  while (process.cpuUsage().user < until);
  const { cpuPercent, memoryBytes, loopLagMs } = pulse.look()
  expect(cpuPercent).toBeGreaterThan(1)
  expect(memoryBytes).toBeGreaterThan(10_000_000)
  expect(loopLagMs).toBeGreaterThanOrEqual(0)
  pulse.stop()
  expect(pulse.look().loopLagMs).toBe(0)
})

test.each([
  [{ name: 'Ana', id: 'twilio-1', simulated: null }, 'Ana'],
  [{ name: null, id: 'twilio-12', simulated: null }, 'Phone 12'],
  [{ name: null, id: 'telnyx-node-2-7', simulated: null }, 'Phone 7'],
  [{ name: null, id: 'browser-3', simulated: null }, 'Browser 3'],
  [{ name: null, id: '9f8e', simulated: null }, '9f8e'],
])('%o is shown as %s', (figures, name) => {
  expect(participantName(figures)).toBe(name)
})
