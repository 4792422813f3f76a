import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { FailureLimiter } from '../../src/common/rate-limit.ts'

test('allows a burst, then the same number per minute, for each address separately', () => {
  const clock = new FakeClock()
  const limit = new FailureLimiter(clock, 10)
  for (let n = 0; n < 10; n++) {
    expect(limit.waitMs('a')).toBe(0)
    limit.failed('a')
  }
  expect(limit.waitMs('a')).toBe(6_000)
  expect(limit.waitMs('b')).toBe(0)
  clock.advance(5_999)
  expect(limit.waitMs('a')).toBeCloseTo(1)
  clock.advance(1)
  expect(limit.waitMs('a')).toBe(0)
  limit.failed('a')
  expect(limit.waitMs('a')).toBeCloseTo(6_000)
  clock.advance(60_000)
  expect(limit.waitMs('a')).toBe(0)
  expect(limit.size).toBe(0)
})

test('never exceeds the limit, for any timing of the attempts', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.nat(20_000)), (perMinute, pauses) => {
      const clock = new FakeClock()
      const limit = new FailureLimiter(clock, perMinute)
      const through: number[] = []
      for (const pause of pauses) {
        clock.advance(pause)
        if (limit.waitMs('a') > 0) continue
        limit.failed('a')
        through.push(clock.now())
      }
      for (const from of through) {
        const within = through.filter(at => at >= from && at < from + 60_000)
        expect(within.length).toBeLessThan(2 * perMinute + 1)
      }
    }),
  )
})

test('returns the exact wait', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.nat(9_000), { minLength: 1 }),
      (perMinute, pauses) => {
        const clock = new FakeClock()
        const limit = new FailureLimiter(clock, perMinute)
        for (const pause of pauses) {
          clock.advance(pause)
          if (limit.waitMs('a') === 0) limit.failed('a')
        }
        const waitMs = limit.waitMs('a')
        clock.advance(Math.max(0, waitMs - 1))
        if (waitMs > 1) expect(limit.waitMs('a')).toBeGreaterThan(0)
        clock.advance(1)
        expect(limit.waitMs('a')).toBe(0)
      },
    ),
  )
})

test('limits a million addresses in bounded memory, without releasing limited ones', () => {
  const clock = new FakeClock()
  const limit = new FailureLimiter(clock, 2, 100)
  limit.failed('early')
  limit.failed('early')
  let through = 0
  for (let n = 0; n < 1_000_000; n++) {
    if (limit.waitMs(`bot ${n}`) > 0) continue
    limit.failed(`bot ${n}`)
    through++
  }
  expect(through).toBe(99 + 2)
  expect(limit.size).toBeLessThanOrEqual(101)
  expect(limit.waitMs('early')).toBeGreaterThan(0)
  clock.advance(60_000)
  expect(limit.waitMs('new client')).toBe(0)
  expect(limit.size).toBe(0)
})
