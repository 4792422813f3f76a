import { expect, test } from 'vitest'
import { PlayQueue } from '../../../../src/simulator/index.ts'

const MINUTE = 60_000

test('plays audio in order at 8 bytes per millisecond', () => {
  const queue = new PlayQueue()
  expect(queue.play(1000, 160)).toBe(1000)
  expect(queue.play(1001, 320)).toBe(1020)
  expect(queue.play(1002, 8)).toBe(1060)
  expect(queue.dryAt).toBe(1061)
  expect(queue.queuedMs(1030)).toBe(31)
  expect(queue.queuedMs(5000)).toBe(0)
  expect(queue.play(2000, 160)).toBe(2000)
})

test('returns a mark when everything before it has been played', () => {
  const queue = new PlayQueue()
  queue.play(0, 160)
  expect(queue.mark(0, 'a')).toBe(false)
  queue.play(0, 160)
  expect(queue.mark(0, 'b')).toBe(false)
  expect(queue.mark(0, 'c')).toBe(false)
  expect(queue.advance(19.9)).toEqual([])
  expect(queue.advance(20)).toEqual(['a'])
  expect(queue.advance(20)).toEqual([])
  expect(queue.advance(40)).toEqual(['b', 'c'])
  expect(queue.report(40)).toMatchObject({ marks: 3, marksPlayed: 3, marksCleared: 0, unconfirmedMarks: [] })
})

test('returns a mark with nothing before it at once', () => {
  const queue = new PlayQueue()
  expect(queue.mark(0, 'a')).toBe(true)
  queue.play(0, 160)
  expect(queue.mark(20, 'b')).toBe(true)
})

test('a mark never overtakes another outstanding mark', () => {
  const queue = new PlayQueue()
  queue.play(0, 160)
  queue.mark(0, 'a')
  expect(queue.mark(25, 'b')).toBe(false)
  expect(queue.advance(25)).toEqual(['a', 'b'])
})

test('clear discards the audio and returns the marks in order; later audio is new', () => {
  const queue = new PlayQueue()
  queue.play(0, 1600)
  queue.mark(0, 'a')
  queue.play(0, 1600)
  queue.mark(0, 'b')
  expect(queue.clear(50)).toEqual(['a', 'b'])
  expect(queue.advance(1000)).toEqual([])
  expect(queue.mark(60, 'c')).toBe(true)
  expect(queue.play(60, 160)).toBe(60)
  const report = queue.report(80)
  expect(report).toMatchObject({ clears: 1, unheardMs: 350, marksCleared: 2, marksPlayed: 1, gapCount: 0 })
  expect(queue.clear(100)).toEqual([])
})

test('holds ten minutes, and discards more', () => {
  const queue = new PlayQueue()
  expect(queue.play(0, 10 * MINUTE * 8)).toBe(0)
  expect(queue.play(0, 160)).toBeUndefined()
  expect(queue.play(20, 160)).toBe(10 * MINUTE)
  expect(queue.play(20, 8)).toBeUndefined()
  expect(queue.report(20)).toMatchObject({ discardedMs: 21, messages: 2, maxLeadMs: 10 * MINUTE })
})

test('silence inside a stretch is a gap; between stretches it is not', () => {
  const queue = new PlayQueue({ gapWithinMs: 200 })
  queue.play(0, 160)
  queue.play(20.9, 160) // 0.9 ms: inaudible
  queue.play(55.9, 160) // 15 ms late
  queue.play(60, 160) // in time
  queue.play(95.9 + 199, 160) // 199 ms
  queue.play(95.9 + 199 + 20 + 200, 160) // a new stretch
  const report = queue.report(1000)
  expect(report.gapCount).toBe(2)
  expect(report.gaps.map(gap => [gap.at, Math.round(gap.ms)])).toEqual([
    [40.9, 15],
    [95.9, 199],
  ])
  expect(report.gapMs).toBeCloseTo(214)
  expect(report.longestGapMs).toBeCloseTo(199)
  expect(report.lateness.count).toBe(4)
  expect(report.lateness.maxMs).toBeCloseTo(199)
})

test('reports the lead and the first sound', () => {
  const queue = new PlayQueue()
  expect(queue.report(0)).toMatchObject({ firstAudioAt: undefined, messages: 0, bytes: 0, maxLeadMs: 0 })
  queue.play(500, 1600)
  queue.play(510, 320)
  const report = queue.report(600)
  expect(report).toMatchObject({
    firstAudioAt: 500,
    lastAudioAt: 510,
    messages: 2,
    bytes: 1920,
    maxLeadMs: 230,
  })
  expect(report.lead.maxMs).toBe(190)
  expect(report.unheardMs).toBe(140)
})

test('an hour of 20 ms messages sent in time has no gap and no drift', () => {
  const queue = new PlayQueue({ gapWithinMs: MINUTE })
  const start = 12_345.678
  for (let n = 0; n < 180_000; n++) queue.play(start + n * 20, 160)
  expect(queue.report(start).gapCount).toBe(0)
  expect(queue.dryAt).toBeCloseTo(start + 3_600_000, 3)
})
