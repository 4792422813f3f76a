import { expect, test } from 'vitest'
import { ChannelMixer } from '../../src/transcode/channel-mixer.ts'
import { rms } from '../../src/transcode/level.ts'
import { concat } from '../../src/transcode/pcm.ts'
import { sine } from '../support/transcode/tone.ts'

const TONE = sine(440, 500, 12_000, 16_000)
const OTHER = sine(1_250, 500, 12_000, 16_000)
const SILENCE = new Int16Array(TONE.length)
const inverted = (pcm: Int16Array) => pcm.map(sample => -sample)

/** The mix of `channels` in pieces of `size` samples of each. */
function mixed(channels: readonly Int16Array[], size = TONE.length): Int16Array {
  const pcm = Int16Array.from({ length: TONE.length * channels.length }, (_, n) => {
    return channels[n % channels.length]![Math.floor(n / channels.length)]!
  })
  const mixer = new ChannelMixer(channels.length)
  const pieces: Int16Array[] = []
  for (let at = 0; at < pcm.length; at += size * channels.length)
    pieces.push(mixer.mix(pcm.subarray(at, at + size * channels.length)))
  return concat(pieces)
}

test.each<[string, Int16Array[], number]>([
  ['a pair of opposite polarity', [TONE, inverted(TONE)], 1],
  ['a pair of opposite polarity and a soft difference', [TONE, inverted(TONE).map(each => each * 0.9)], 1],
  ['two opposite pairs', [TONE, inverted(TONE), OTHER, inverted(OTHER)], 1],
  ['an opposite pair among silence', [SILENCE, TONE, inverted(TONE), SILENCE, SILENCE, SILENCE], 1],
  ['equal channels', [TONE, TONE], 1],
  ['one speaker on each channel', [TONE, OTHER], Math.SQRT1_2],
  ['one channel', [SILENCE, TONE], 0.5],
  ['one of six channels', [SILENCE, TONE, SILENCE, SILENCE, SILENCE, SILENCE], 1 / 6],
])('%s is audible', (_name, channels, level) => {
  const pcm = mixed(channels)
  expect(rms(pcm.subarray(800)) / rms(TONE)).toBeCloseTo(level, 1)
  expect(mixed(channels, 37)).toEqual(pcm)
})

test('a stereo file whose second half has opposite polarity has neither a gap nor a click', () => {
  const half = TONE.length / 2
  const right = TONE.map((sample, n) => (n < half ? sample : -sample))
  const pcm = mixed([TONE, right])
  const steps = Array.from(pcm.subarray(1), (sample, n) => Math.abs(sample - pcm[n]!))
  expect(rms(pcm.subarray(half + 1_600)) / rms(TONE)).toBeCloseTo(1, 1)
  // The change of polarity itself is in the file.
  expect(Math.max(...steps.slice(0, half - 2), ...steps.slice(half + 2))).toBeLessThan(4_000)
})
