import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Histogram } from '../../src/common/histogram.ts'

describe('a histogram', () => {
  test('is initially empty', () => {
    const histogram = new Histogram()
    expect([histogram.count, histogram.sum, histogram.countUpTo(1e9)]).toEqual([0, 0, 0])
  })

  test('returns the exact count and sum', () => {
    const histogram = new Histogram()
    for (const value of [3, 1, 8]) histogram.record(value)
    expect([histogram.count, histogram.sum]).toEqual([3, 12])
  })

  test('counts a negative value as 0', () => {
    const histogram = new Histogram()
    histogram.record(-5)
    histogram.record(10)
    expect([histogram.sum, histogram.countUpTo(0.1)]).toEqual([10, 1])
  })

  test('ignores NaN', () => {
    const histogram = new Histogram()
    histogram.record(Number.NaN)
    histogram.record(10)
    expect([histogram.count, histogram.sum]).toEqual([1, 10])
  })

  test('counts values from 0.1 to ten million up to a limit that is accurate to 5 %', () => {
    // Uniform over orders of magnitude: the exponent is random, not the value.
    const value = fc.double({ min: -1, max: 7, noNaN: true }).map(exponent => 10 ** exponent)
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 200 }), value, (values, limit) => {
        const histogram = new Histogram()
        for (const one of values) histogram.record(one)
        const upTo = (most: number) => values.filter(one => one <= most).length
        expect(histogram.countUpTo(limit)).toBeGreaterThanOrEqual(upTo(limit / 1.05))
        expect(histogram.countUpTo(limit)).toBeLessThanOrEqual(upTo(limit * 1.05))
      }),
      { numRuns: 500 },
    )
  })

  test('counts values of any size', () => {
    const histogram = new Histogram()
    histogram.record(1e300)
    expect([histogram.countUpTo(1e7), histogram.countUpTo(1e300)]).toEqual([0, 1])
  })
})
