import { describe, expect, test } from 'vitest'
import { runOutage } from '../../support/faults/outage-run.ts'

/** Every drop point, and a few different outages. */
const POINTS = Array.from({ length: 201 }, (_, frame) => frame)
const OUTAGES_MS = [0, 60, 500, 1_480, 5_000, 14_900, 29_500, 30_000]

describe('a service that drops and returns', () => {
  test.each(OUTAGES_MS)(
    'after %i ms: loses nothing and repeats hardly anything, at any drop point',
    outageMs => {
      for (const dropAtFrame of POINTS) {
        const run = runOutage({ dropAtFrame, outageMs, seed: dropAtFrame + 1 })
        const at = `drop at frame ${dropAtFrame}, back after ${outageMs} ms`
        expect([run.lost, run.unanswered, run.metrics.lostMs], at).toEqual([0, 0, 0])
        expect(run.repeatedMs, at).toBeLessThanOrEqual(300)
        expect(run.recoveryMs, at).toBeLessThanOrEqual(1_100)
      }
    },
  )

  test('the count detects losses: the start of an outage of 48 s is lost and counted', () => {
    const run = runOutage({ dropAtFrame: 50, outageMs: 50_000 })
    expect(run.lost).toBeGreaterThan(50)
    expect(run.unanswered).toBeGreaterThan(50)
    // Pauses and audio sent before the drop are counted, and no frame is missing from the count.
    expect(run.metrics.lostMs).toBeGreaterThanOrEqual(run.lost * 20)
  })

  test('back after 29.9 s and 30.1 s: no loss; after 10 min: the newest 48 s are sent, the rest is counted', () => {
    for (const outageMs of [29_900, 30_100]) expect(runOutage({ dropAtFrame: 70, outageMs }).lost).toBe(0)
    const long = runOutage({ dropAtFrame: 70, outageMs: 600_000 })
    expect(long.recoveryMs).toBeLessThanOrEqual(1_100)
    // An outage of 600 s, of which 48 s are kept.
    expect(Math.abs(long.lost * 20 - (600_000 - 48_000))).toBeLessThan(2_500)
    expect(long.metrics.lostMs).toBeGreaterThanOrEqual(long.lost * 20)
  })

  test('a slow service receives everything, too', () => {
    for (const dropAtFrame of [0, 40, 99, 130, 200]) {
      const run = runOutage({ dropAtFrame, outageMs: 10_000, openMs: 800, ackMs: 400 })
      expect([run.lost, run.unanswered], `drop at frame ${dropAtFrame}`).toEqual([0, 0])
    }
  })
})
