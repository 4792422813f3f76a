import { expect, test } from 'vitest'
import { isTelephoneBand } from '../../../../../src/service/engines/local/pocketsphinx/speech-detection.ts'
import { createResampler } from '../../../../../src/transcode/resample/resampler.ts'
import { pause, recording } from '../../../../support/engines/recordings.ts'
import { sine } from '../../../../support/transcode/tone.ts'

function share(pcm: Int16Array): number {
  const heard: boolean[] = []
  for (let at = 0; at + 1_600 <= pcm.length; at += 1_600) {
    const band = isTelephoneBand(pcm.subarray(at, at + 1_600))
    if (band !== undefined) heard.push(band)
  }
  return heard.filter(Boolean).length / heard.length
}

test('detects a full-band recording, and the same by phone', () => {
  for (const number of [1, 2, 3, 4, 5] as const) {
    const narrow = createResampler(16_000, 8_000).process(recording(number)).slice()
    expect(share(recording(number))).toBeLessThan(0.1)
    expect(share(createResampler(8_000, 16_000).process(narrow).slice())).toBeGreaterThan(0.9)
  }
})

test('classifies a tone by its pitch; silence gives no information', () => {
  expect(isTelephoneBand(sine(1_000, 100))).toBe(true)
  expect(isTelephoneBand(sine(6_000, 100))).toBe(false)
  expect(isTelephoneBand(pause(100))).toBeUndefined()
  expect(isTelephoneBand(new Int16Array(0))).toBeUndefined()
})
