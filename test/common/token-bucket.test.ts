import { expect, it } from 'vitest'
import { TokenBucket } from '../../src/common/rate-limit.ts'

it('a bucket allows a burst, then a rate, and never more than a burst', () => {
  const bucket = new TokenBucket(10, 3, 0)
  expect([bucket.take(0), bucket.take(0), bucket.take(0), bucket.take(0)]).toEqual([2, 1, 0, -1])
  expect([bucket.take(100), bucket.take(100)]).toEqual([0, -1])
  expect(bucket.left(60_000)).toBe(3)
})

it('a bucket grants an amount completely or not at all', () => {
  const bucket = new TokenBucket(10, 3, 0)
  expect([bucket.take(0, 4), bucket.take(0, 2), bucket.take(0, 2), bucket.left(0)]).toEqual([-1, 1, -1, 1])
})
