import { expect, test } from 'vitest'
import { sampleCodec } from '../../src/bridges/phone/leg/line-codec.ts'
import { ComfortNoise } from '../../src/transcode/comfort-noise.ts'
import { dbfs, peak, rms } from '../../src/transcode/level.ts'
import { concat } from '../../src/transcode/pcm.ts'
import { SpeechOnset } from '../../src/transcode/speech-onset.ts'
import { VoiceActivity } from '../../src/transcode/voice-activity.ts'

/** What a participant hears of silence, in messages of 40 ms. */
function line(codec: 'mulaw' | 'alaw' | 'l16' | 'l16be', rate: 8_000 | 16_000, ms: number): Int16Array {
  const noise = new ComfortNoise(rate)
  const { encode, decode, bytesPerSample } = sampleCodec(codec)
  const silence = new Int16Array(rate / 25)
  const heard: Int16Array[] = []
  for (let at = 0; at < ms; at += 40) {
    const bytes = new Uint8Array(silence.length * bytesPerSample)
    encode(noise.add(silence), bytes)
    const pcm = new Int16Array(silence.length)
    decode(bytes, pcm)
    heard.push(pcm)
  }
  return concat(heard)
}

test.each([
  ['mulaw', 8_000],
  ['alaw', 8_000],
  ['l16', 8_000],
  ['l16', 16_000],
  ['l16be', 16_000],
] as const)(
  'is steady at -60 dBFS on a line with %s at %i Hz, and is not taken for speech',
  (codec, rate) => {
    const heard = line(codec, rate, 6_000)
    const activity = new VoiceActivity()
    const onset = new SpeechOnset()
    const frame = rate / 50
    for (let n = 0; (n + 1) * frame <= heard.length; n++) {
      const level = rms(heard.subarray(n * frame, (n + 1) * frame))
      expect(onset.frame(level, activity.frame(level, n * 20))).toBe(false)
      expect(activity.speaking).toBe(false)
    }
    for (let at = 0; at < heard.length; at += rate / 2)
      expect(Math.abs(dbfs(rms(heard.subarray(at, at + rate / 2))) + 60)).toBeLessThan(1.5)
    expect(dbfs(peak(heard))).toBeLessThan(-43)
  },
)

test('is the same on every line, repeats without a seam, and adds to the audio without overflow', () => {
  expect(line('l16', 8_000, 400)).toEqual(line('l16', 8_000, 400))
  const loud = new Int16Array(320).fill(32_767)
  expect(peak(new ComfortNoise(8_000).add(loud))).toBe(32_767)
  const heard = line('l16', 8_000, 4_000)
  expect(heard.subarray(16_000)).toEqual(heard.subarray(0, 16_000))
  const step = (at: number) => Math.abs(heard[at]! - heard[at - 1]!)
  expect(step(16_000)).toBeLessThan(Math.max(...Array.from({ length: 15_999 }, (_, n) => step(n + 1))))
})
