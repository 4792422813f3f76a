import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PeakHistory } from '../../../src/transcode/mp3/damage-guard.ts'

test('returns the peak exceeded by the given share of recent ones', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 2, max: 9 }),
      fc.array(fc.oneof(fc.integer({ min: 0, max: 32_768 }), fc.integer({ min: 0, max: 5 })), {
        maxLength: 70,
      }),
      fc.nat(80),
      (size, every, all, forget) => {
        const peaks = new PeakHistory(size)
        all.forEach((peak, i) => {
          if (i === forget) peaks.clear()
          peaks.add(peak + 0.4)
        })
        const last = all.slice(forget < all.length ? forget : 0).slice(-size)
        const sorted = last.toSorted((a, b) => a - b)
        expect(peaks.exceededByOneIn(every)).toBe(
          sorted[last.length - 1 - Math.floor(last.length / every)] ?? 0,
        )
      },
    ),
    { numRuns: 500 },
  )
})
