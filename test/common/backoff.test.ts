import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffMs, jittered } from '../../src/common/backoff.ts'

const POLICY = { firstMs: 100, maxMs: 1_000 }

describe('the back-off', () => {
  it('doubles from the first delay to the maximum', () => {
    const delays = [1, 2, 3, 4, 5, 6].map(retry => backoffMs(retry, { ...POLICY, jitter: 0 }))
    expect(delays).toEqual([100, 200, 400, 800, 1_000, 1_000])
  })

  it('does not delay what is not a retry', () => {
    expect(backoffMs(0, POLICY, 0.99)).toBe(0)
  })

  it('is at least half of the full delay by default', () => {
    expect(backoffMs(2, POLICY, 0)).toBe(100)
    expect(backoffMs(2, POLICY, 0.999)).toBeCloseTo(200, 0)
  })

  it('stays within its bounds for any retry, also after years', () => {
    fc.assert(
      fc.property(fc.nat(), fc.double({ min: 0, max: 0.999, noNaN: true }), (retry, random) => {
        const delay = backoffMs(retry + 1, POLICY, random)
        expect(delay).toBeGreaterThanOrEqual(50)
        expect(delay).toBeLessThanOrEqual(1_000)
      }),
    )
  })

  it('shortens a delay by the given share at most', () => {
    expect(jittered(1_000, 0.25, 0)).toBe(750)
    expect(jittered(1_000, 0, 0.5)).toBe(1_000)
  })
})
