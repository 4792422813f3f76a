import { expect, test } from 'vitest'
import { Histogram } from '../../simulator/index.ts'

test('quantiles are exact to a quarter of a millisecond', () => {
  const histogram = new Histogram()
  for (let n = 1; n <= 1000; n++) histogram.add(n / 10)
  expect(histogram.count).toBe(1000)
  expect(histogram.meanMs).toBeCloseTo(50.05)
  for (const share of [0.01, 0.5, 0.9, 0.99])
    expect(Math.abs(histogram.quantile(share) - share * 100)).toBeLessThanOrEqual(0.25)
  expect(histogram.quantile(1)).toBe(100)
  expect(histogram.maxMs).toBe(100)
})

test('handles no, negative and huge values', () => {
  const histogram = new Histogram()
  expect([histogram.quantile(0.5), histogram.meanMs, histogram.maxMs]).toEqual([0, 0, 0])
  histogram.add(-3)
  histogram.add(90_000)
  expect(histogram.maxMs).toBe(90_000)
  expect(histogram.quantile(0.5)).toBe(0.25)
  expect(histogram.quantile(1)).toBe(90_000)
})

test('merging adds the values', () => {
  const [all, left, right] = [new Histogram(), new Histogram(), new Histogram()]
  for (let n = 0; n < 100; n++) {
    all.add(n)
    ;(n % 3 ? left : right).add(n)
  }
  left.merge(right)
  left.merge(new Histogram())
  expect(left.toJSON()).toEqual(all.toJSON())
})
