import { expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { KeyedRateLimiter } from '../../src/common/rate-limit.ts'

test('each group has its own rate, and returned tokens count', () => {
  const clock = new FakeClock()
  const rates = new KeyedRateLimiter(clock, { perSecond: 2, burst: 4 })
  expect([1, 2, 3, 4, 5].map(() => rates.take('a'))).toEqual([true, true, true, true, false])
  expect(rates.full('a')).toBe(true)
  expect(rates.full('b')).toBe(false)
  expect(rates.take('b')).toBe(true)
  rates.give('a')
  expect(rates.full('a')).toBe(false)
  clock.advance(500)
  expect([rates.take('a'), rates.take('a'), rates.take('a')]).toEqual([true, true, false])
})

test('memory is bounded: above the limit, new groups share one rate, and full buckets are removed', () => {
  const clock = new FakeClock()
  const rates = new KeyedRateLimiter(clock, { perSecond: 1, burst: 2 }, 100)
  for (let n = 0; n < 10_000; n++) rates.take(`a${n}`)
  expect(rates.size).toBeLessThanOrEqual(101)
  expect(rates.take('one more')).toBe(false)
  expect(rates.take('a0')).toBe(true)
  clock.advance(2_000)
  expect(rates.take('one more')).toBe(true)
  expect(rates.size).toBe(1)
})

test('above the maximum, what is not tracked shares one limit, in every answer', () => {
  const clock = new FakeClock()
  const limiter = new KeyedRateLimiter(clock, { perSecond: 0.1, burst: 2 }, 3)
  for (const group of ['a', 'b', 'c', 'd', 'e']) limiter.take(group)
  expect(limiter.size).toBe(4)
  for (const group of ['d', 'e', 'never seen']) {
    expect(limiter.full(group), group).toBe(true)
    expect(limiter.waitMs(group), group).toBe(10_000)
    expect(limiter.take(group), group).toBe(false)
  }
  expect([limiter.full('a'), limiter.take('a'), limiter.take('a')]).toEqual([false, true, false])
  limiter.give('d')
  expect([limiter.take('e'), limiter.take('e')]).toEqual([true, false])
})
