import { expect, test } from 'vitest'
import { growthOf } from '../../bench/rss-log.ts'

/** A measurement every 10 s for ten minutes. */
function samples(rssMiB: (seconds: number) => number) {
  return Array.from({ length: 61 }, (_, n) => ({ seconds: n * 10, rssMiB: rssMiB(n * 10) }))
}

test('measures the growth of the last five minutes only', () => {
  const growth = growthOf(samples(seconds => (seconds < 300 ? 100 + seconds : 400 + (seconds - 300) / 30)))
  expect(growth?.seconds).toBe(300)
  expect(growth?.mib).toBeCloseTo(10)
  expect(growth?.percent).toBeCloseTo(10 / 4.05, 1)
})

test('is not misled by garbage collections', () => {
  const growth = growthOf(samples(seconds => 400 + (seconds % 40) / 4))
  expect(Math.abs(growth!.percent)).toBeLessThan(0.5)
})

test('needs three measurements', () => {
  expect(growthOf([])).toBeUndefined()
  expect(growthOf(samples(() => 1).slice(0, 2))).toBeUndefined()
})
