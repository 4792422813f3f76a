import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { AudioQuota, RollingUsage } from '../../../../src/service/usage-ledger.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** A time within a quarter of an hour that has started. */
const ORIGIN_MS = 1_767_323_045_000

const of = (clock: FakeClock, minutes: number) => new AudioQuota(new RollingUsage(clock, ORIGIN_MS), minutes)

test('usage expires after a day, and the time is reported', () => {
  const clock = new FakeClock()
  const allowance = of(clock, 10)
  expect(allowance.moreInMs).toBe(0)
  clock.advance(20 * MINUTE_MS)
  expect(allowance.take(6 * MINUTE_MS)).toBe(true)
  expect(allowance.take(5 * MINUTE_MS)).toBe(false)
  expect(allowance.take(4 * MINUTE_MS)).toBe(true)
  expect(allowance.leftMs).toBe(0)
  const { moreInMs } = allowance
  expect(moreInMs).toBeGreaterThanOrEqual(DAY_MS)
  expect(moreInMs).toBeLessThanOrEqual(DAY_MS + 15 * MINUTE_MS)
  clock.advance(moreInMs - 1)
  expect(allowance.take(1)).toBe(false)
  clock.advance(1)
  expect(allowance.leftMs).toBe(10 * MINUTE_MS)
})

test('applies a higher or lower quota at once', () => {
  const allowance = of(new FakeClock(), 1)
  allowance.take(MINUTE_MS)
  allowance.minutes = 3
  expect(allowance.leftMs).toBe(2 * MINUTE_MS)
  allowance.minutes = 0.5
  expect(allowance.leftMs).toBe(0)
})

test('never accepts more than the quota in any 24 hours, and never delays fitting audio by more than a slice', () => {
  const step = fc.record({ afterMs: fc.nat(4 * 60 * MINUTE_MS), ms: fc.nat(5 * MINUTE_MS) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const clock = new FakeClock()
      const allowance = of(clock, 10)
      const taken: { at: number; ms: number }[] = []
      const sum = (from: number) => taken.filter(({ at }) => at > from).reduce((all, { ms }) => all + ms, 0)
      for (const { afterMs, ms } of steps) {
        clock.advance(afterMs)
        const fits = sum(clock.now() - DAY_MS - 15 * MINUTE_MS) + ms <= 10 * MINUTE_MS
        if (allowance.take(ms)) taken.push({ at: clock.now(), ms })
        else expect(fits).toBe(false)
        expect(sum(clock.now() - DAY_MS)).toBeLessThanOrEqual(10 * MINUTE_MS)
      }
    }),
  )
})
