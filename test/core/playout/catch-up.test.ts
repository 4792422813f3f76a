import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CatchUpController, nextRate, PACES, REST } from '../../../src/core/playout/catch-up.ts'
import { MAX_SPEED } from '../../../src/transcode/stretch/time-stretch.ts'

const PLENTY = Number.POSITIVE_INFINITY
const state = (lagMs: number, trendMs = 0, aheadMs = PLENTY) => ({ lagMs, trendMs, aheadMs })

/** Pace that a steady lag settles on. */
function settled(lagMs: number, from = REST): number {
  let pace = from
  for (let n = 0; n < 20; n++) pace = nextRate(pace, state(lagMs))
  return pace
}

describe('the pace of a late translation', () => {
  test('is normal without lag; trims pauses first, then speeds up speech by up to 25 %', () => {
    expect(PACES[settled(0)]).toEqual({ trim: false, factor: 1 })
    expect(PACES[settled(300)]).toEqual({ trim: true, factor: 1 })
    expect(PACES[settled(700)]).toEqual({ trim: true, factor: 1.05 })
    expect(PACES[settled(3_000)]).toEqual({ trim: true, factor: 1.25 })
    expect(Math.max(...PACES.map(({ factor }) => factor))).toBe(MAX_SPEED)
  })

  test('changes by one step at a time for any lag', () => {
    const lags = fc.array(fc.double({ min: 0, max: 60_000, noNaN: true }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(lags, all => {
        let pace = REST
        for (const lagMs of all) {
          const next = nextRate(pace, state(lagMs, 0))
          expect(Math.abs(next - pace)).toBeLessThanOrEqual(1)
          expect(PACES[next]).toBeDefined()
          pace = next
        }
      }),
      { seed: 4 },
    )
  })

  test('settles on one pace for a lag that varies by a third around any value', () => {
    for (let lagMs = 100; lagMs < 5_000; lagMs += 50) {
      let pace = settled(lagMs)
      const seen = new Set<number>()
      for (let n = 0; n < 200; n++) {
        pace = nextRate(pace, state(lagMs * (1 + 0.33 * Math.sin(n))))
        if (n > 20) seen.add(pace)
      }
      expect(seen.size).toBe(1)
    }
  })

  test('reacts sooner to a growing lag than to a falling one', () => {
    expect(nextRate(1, state(500, 400))).toBe(2)
    expect(nextRate(1, state(500, -400))).toBe(1)
  })

  test('returns to normal when the lag disappears', () => {
    expect(settled(0, PACES.length - 1)).toBe(REST)
    expect(settled(90, 1)).toBe(REST)
    expect(settled(200, 1)).toBe(1)
  })

  test('is normal while too little audio is available', () => {
    expect(nextRate(6, state(5_000, 0, 200))).toBe(REST)
    expect(nextRate(REST, state(5_000, 0, 200))).toBe(REST)
    expect(nextRate(REST, state(5_000, 0, 800))).toBe(1)
  })

  test('of a queue reaches full speed within one second and normal speed two seconds after catching up', () => {
    const pace = new CatchUpController()
    for (let n = 0; n < 10; n++) pace.look(4_000, PLENTY)
    expect(pace.now.factor).toBe(1.25)
    for (let n = 0; n < 20; n++) pace.look(0, PLENTY)
    expect(pace.atRest).toBe(true)
    pace.look(4_000, PLENTY)
    pace.reset()
    expect(pace.now).toEqual({ trim: false, factor: 1 })
  })
})
