import { expect, test } from 'vitest'
import { createResampler } from '../../src/transcode/resample/resampler.ts'
import { BLOCK_SAMPLES, KWeighting, SpeechLoudness } from '../../src/transcode/speech-loudness.ts'
import { integratedLufs } from '../support/transcode/loudness-meter.ts'
import { recording } from '../support/transcode/speech-signal.ts'
import { sine } from '../support/transcode/tone.ts'

/** Measures all of `pcm` at 16 kHz. */
function measured(pcm: Int16Array): number {
  const weighting = new KWeighting()
  const speech = new SpeechLoudness()
  for (let at = 0; at + BLOCK_SAMPLES <= pcm.length; at += BLOCK_SAMPLES)
    speech.add(weighting.energy(pcm, at, at + BLOCK_SAMPLES) / BLOCK_SAMPLES)
  return speech.db
}

/** Interpolates by a windowed sinc. */
function upsampled(pcm: Int16Array, factor: number): Int16Array {
  const half = 16
  return Int16Array.from({ length: pcm.length * factor }, (_, n) => {
    const at = n / factor
    let sum = 0
    for (let i = Math.ceil(at - half); i < at + half; i++) {
      const x = Math.PI * (at - i)
      sum += (pcm[i] ?? 0) * (x === 0 ? 1 : (Math.sin(x) / x) * Math.cos(x / half / 2) ** 2)
    }
    return Math.max(-32_768, Math.min(32_767, Math.round(sum)))
  })
}

test('is that of ITU-R BS.1770 for tones', () => {
  // The calibration of the recommendation: a full-scale sine of 997 Hz has -3.01 LKFS.
  expect(integratedLufs(sine(997, 2_000, 32_767))).toBeCloseTo(-3.01, 1)
  for (const hz of [100, 250, 500, 997, 2_000, 3_400])
    expect(Math.abs(measured(sine(hz, 2_000, 8_000)) - integratedLufs(sine(hz, 2_000, 8_000)))).toBeLessThan(
      0.15,
    )
})

/** Four seconds of speech, as a line of that rate has it. Faster speech has frequencies as high as a wideband microphone's. */
const LINES: [number, (pcm: Int16Array) => { heard: Int16Array; at48: Int16Array }][] = [
  [
    8_000,
    pcm => {
      const line = createResampler(16_000, 8_000).process(pcm).slice()
      return { heard: createResampler(8_000, 16_000).process(line), at48: upsampled(line, 6) }
    },
  ],
  [16_000, pcm => ({ heard: pcm, at48: upsampled(pcm, 3) })],
  [24_000, pcm => ({ heard: createResampler(24_000, 16_000).process(pcm), at48: upsampled(pcm, 2) })],
  [
    48_000,
    pcm => {
      const at48 = upsampled(pcm, 2)
      return { heard: createResampler(48_000, 16_000).process(at48), at48 }
    },
  ],
]

test.each(LINES)('is that of ITU-R BS.1770 within 1 LU for speech at %i Hz', (_rate, line) => {
  for (const number of [2, 3, 4, 5]) {
    const { heard, at48 } = line(recording(number).subarray(0, 4 * 16_000))
    expect(Math.abs(measured(heard) - integratedLufs(at48, 48_000))).toBeLessThan(1)
  }
})

test('follows another loudness after 4 s of speech, and ignores pauses and clicks', () => {
  const speech = new SpeechLoudness()
  const add = (meanSquare: number, blocks: number) => {
    for (let n = 0; n < blocks; n++) speech.add(meanSquare)
  }
  add(3_000 ** 2, 1_000)
  const loud = speech.db
  add(1, 1_000)
  expect(speech.db).toBe(loud)
  add(200 ** 2, 380)
  add(10 ** 2, 100)
  expect(speech.db).toBeGreaterThan(loud - 20)
  add(200 ** 2, 20)
  expect(speech.db).toBeCloseTo(loud + 20 * Math.log10(200 / 3_000), 1)
})
