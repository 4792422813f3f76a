import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Histogram } from '../../src/common/histogram.ts'

describe('a histogram', () => {
  test('is initially empty', () => {
    const histogram = new Histogram()
    expect([histogram.count, histogram.max, histogram.mean]).toEqual([0, 0, 0])
    for (const q of [0, 0.5, 1]) expect(histogram.quantile(q)).toBe(0)
  })

  test('returns the exact count, mean and maximum', () => {
    const histogram = new Histogram()
    for (const value of [3, 1, 8]) histogram.record(value)
    expect([histogram.count, histogram.max, histogram.mean]).toEqual([3, 8, 4])
  })

  test('counts a negative value as 0', () => {
    const histogram = new Histogram()
    histogram.record(-5)
    histogram.record(10)
    expect(histogram.mean).toBe(5)
    expect(histogram.quantile(0.5)).toBeLessThanOrEqual(0.1)
  })

  test('ignores NaN', () => {
    const histogram = new Histogram()
    histogram.record(Number.NaN)
    histogram.record(10)
    expect([histogram.count, histogram.max, histogram.mean]).toEqual([1, 10, 10])
  })

  test('returns quantiles within 5 % for values from 0.1 to ten million', () => {
    // Uniform over orders of magnitude: the exponent is random, not the value.
    const value = fc.double({ min: -1, max: 7, noNaN: true }).map(exponent => 10 ** exponent)
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 200 }),
        fc.double({ min: 0.001, max: 1, noNaN: true }),
        (values, q) => {
          const histogram = new Histogram()
          for (const one of values) histogram.record(one)
          const exact = values.toSorted((a, b) => a - b)[Math.ceil(q * values.length) - 1]!
          expect(Math.abs(histogram.quantile(q) / exact - 1)).toBeLessThanOrEqual(0.05)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('returns no quantile above the maximum', () => {
    const histogram = new Histogram()
    for (let n = 0; n < 100; n++) histogram.record(1.001)
    expect(histogram.quantile(1)).toBeLessThanOrEqual(1.001)
    histogram.record(1e300)
    expect(histogram.quantile(1)).toBeLessThanOrEqual(1e300)
    expect(histogram.quantile(0.5)).toBeLessThanOrEqual(1.05)
  })
})
