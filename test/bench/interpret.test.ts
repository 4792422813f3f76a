import { expect, test } from 'vitest'
import { chrf } from '../../bench/interpret/chrf.ts'
import { longYaal, type Segment, streamLaal } from '../../bench/interpret/latency.ts'

/*
 * Computed by hand from the definitions. An ideal interpreter says word i (from 0) of n at i × length / n, with n the larger of
 * the words said and the words of the reference.
 */
const EXAMPLES: readonly [what: string, segments: Segment[], laal: number, yaal: number][] = [
  [
    // 4 s, 4 words: ideal at 0, 1, 2, 3 s. Lags 2, 2, 2, 2 s; the third word is the first after the end and the last that
    // StreamLAAL counts.
    'a constant lag of two seconds',
    [{ lengthMs: 4_000, delaysMs: [2_000, 3_000, 4_000, 5_000], referenceWords: 4, recordingEndMs: 60_000 }],
    2_000,
    2_000,
  ],
  [
    // 3 s, 6 words of the reference: ideal at 0 and 0.5 s. Lags 3.5 and 3.1 s; StreamLAAL takes the first alone, because it comes
    // after the end.
    'all of a short translation after the end of its speech',
    [{ lengthMs: 3_000, delaysMs: [3_500, 3_600], referenceWords: 6, recordingEndMs: 60_000 }],
    3_500,
    3_300,
  ],
  [
    // First: 2 s, 5 words said, 4 wanted: ideal at 0, 0.4, 0.8, 1.2, 1.6 s. Lags 1, 0.6, 0.7, 0.8, 0.9 s: StreamLAAL counts up
    // to the fourth (2 s), (1 + 0.6 + 0.7 + 0.8) / 4 = 0.775 s; all five 0.8 s.
    // Second: 1 s, 1 word of 2 at 2.5 s, with the recording ending at 2 s: StreamLAAL 2.5 s, not in LongYAAL.
    'two segments, one after the end of the recording',
    [
      {
        lengthMs: 2_000,
        delaysMs: [1_000, 1_000, 1_500, 2_000, 2_500],
        referenceWords: 4,
        recordingEndMs: 9_000,
      },
      { lengthMs: 1_000, delaysMs: [2_500], referenceWords: 2, recordingEndMs: 2_000 },
    ],
    (775 + 2_500) / 2,
    800,
  ],
]

test.each(EXAMPLES)('StreamLAAL and LongYAAL of %s', (_, segments, laal, yaal) => {
  expect(streamLaal(segments)).toBeCloseTo(laal, 6)
  expect(longYaal(segments)).toBeCloseTo(yaal, 6)
})

test('chrF is 100 for the reference, 0 for nothing of it, and weighs recall twice', () => {
  expect(chrf(['the cat', 'sat'], ['the cat', 'sat'])).toBeCloseTo(100, 9)
  expect(chrf(['xyz'], ['the cat'])).toBe(0)
  // Precision 1, recall 1/2, in order 1: 5 × 1 × 0.5 / (4 × 1 + 0.5).
  expect(chrf(['a'], ['ab'])).toBeCloseTo(100 * ((5 * 0.5) / 4.5), 6)
})
