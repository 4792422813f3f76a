import { expect, test } from 'vitest'
import { SpeechOnset } from '../../src/transcode/speech-onset.ts'
import { VoiceActivity } from '../../src/transcode/voice-activity.ts'

/** Returns the time until speech is reported, in frames, or undefined. Each part is `[level (RMS), frames]`. */
function noticed(parts: readonly (readonly [number, number])[]): number | undefined {
  const onset = new SpeechOnset()
  const activity = new VoiceActivity()
  let frames = 0
  for (const [level, count] of parts)
    for (let n = 0; n < count; n++) {
      frames++
      // Levels of noise and of a voice are never constant.
      const uneven = level * (1 + ((n * 7) % 5) * 0.02)
      if (onset.frame(uneven, activity.frame(uneven, frames * 20))) return frames
    }
  return undefined
}

test.each([
  ['a word at the very start', [[2_000, 20]], 4],
  [
    'a word after silence',
    [
      [0, 100],
      [2_000, 20],
    ],
    104,
  ],
  [
    'a quiet word',
    [
      [8, 100],
      [130, 20],
    ],
    104,
  ],
  [
    'faint speech, which is below the threshold of speech',
    [
      [8, 100],
      [70, 20],
    ],
    112,
  ],
  [
    'speech over noise',
    [
      [150, 100],
      [520, 20],
    ],
    104,
  ],
  [
    'quiet speech shortly after a shout',
    [
      [8, 100],
      [20_000, 2],
      [8, 20],
      [600, 20],
    ],
    126,
  ],
] as const)('notices %s', (_, parts, frames) => {
  expect(noticed(parts)).toBeLessThanOrEqual(frames)
})

test.each([
  ['silence', [[0, 1_000]]],
  ['steady noise, from the start', [[300, 1_000]]],
  [
    'noise that grows slowly',
    [
      [100, 200],
      [150, 200],
      [220, 200],
      [300, 200],
    ],
  ],
  [
    'clicks',
    [
      [20, 100],
      [9_000, 2],
      [20, 100],
      [9_000, 2],
      [20, 100],
    ],
  ],
  [
    'sound that no recognizer hears',
    [
      [0, 100],
      [45, 500],
    ],
  ],
] as const)('ignores %s', (_, parts) => {
  expect(noticed(parts)).toBeUndefined()
})
