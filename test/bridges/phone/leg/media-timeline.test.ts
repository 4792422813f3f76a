import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LegCounters } from '../../../../src/bridges/phone/leg/leg-counters.ts'
import { MediaTimeline } from '../../../../src/bridges/phone/leg/media-timeline.ts'
import { DEFAULT_LIMITS } from '../../../../src/bridges/phone/limits.ts'

function open() {
  const counters = new LegCounters()
  return { counters, timeline: new MediaTimeline(counters, DEFAULT_LIMITS, 8_000, 0) }
}

function placed(...pieces: [timestampMs: number, samples?: number][]) {
  const { counters, timeline } = open()
  return pieces.map(([timestampMs, samples = 160]) => {
    const { pauses } = counters
    timeline.place(timestampMs, samples, 0)
    return { fill: timeline.fill, skip: timeline.skip, jumped: counters.pauses > pauses }
  })
}

const PLAIN = { fill: 0, skip: 0, jumped: false }

describe('the media timeline', () => {
  it('can be reset, far back or permanently', () => {
    expect(placed([5_000], [0], [20])).toEqual([PLAIN, { ...PLAIN, jumped: true }, PLAIN])
    const back = Array.from({ length: 60 }, (_, n): [number] => [500 + n * 0])
    const after = placed([1_000], ...back)
    expect(after.filter(each => each.jumped)).toHaveLength(1)
  })

  it('tolerates jitter below half a frame without a trace', () => {
    expect(placed([0], [23], [36], [62])).toEqual([PLAIN, PLAIN, PLAIN, PLAIN])
  })

  it('works without timestamps', () => {
    expect(placed([Number.NaN], [Number.NaN], [0], [20], [Number.NaN], [60])).toEqual(Array(6).fill(PLAIN))
  })

  it('never yields impossible values', () => {
    const piece = fc.tuple(
      fc.oneof(fc.nat(20_000), fc.constant(Number.NaN), fc.constant(999_999_999_999_999)),
      fc.nat(4_000),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), pieces => {
        const { timeline } = open()
        for (const [timestampMs, samples] of pieces) {
          timeline.place(timestampMs, samples, 0)
          expect(timeline.fill).toBeGreaterThanOrEqual(0)
          expect(timeline.fill).toBeLessThanOrEqual(80_000)
          expect(timeline.skip).toBeGreaterThanOrEqual(0)
          expect(timeline.skip).toBeLessThanOrEqual(samples)
        }
      }),
    )
  })
})
