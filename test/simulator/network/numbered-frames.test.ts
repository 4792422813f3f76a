import { beforeAll, describe, expect, test } from 'vitest'
import { countFrames, framesIn, numberedFrames } from '../../../simulator/network/numbered-frames.ts'
import { randomFrom } from '../../../simulator/random.ts'
import { Mp3Maker } from '../../../simulator/service/scripted-answers.ts'
import { decodeMulaw, encodeMulaw } from '../../../src/transcode/g711.ts'
import { concat } from '../../../src/transcode/pcm.ts'
import { createResampler } from '../../../src/transcode/resample/resampler.ts'
import { decodeSpeech } from '../../../src/transcode/speech-decoder.ts'

const FROM = 1_000
const TO = 1_300
const all = Array.from({ length: TO - FROM }, (_, n) => FROM + n)
let sound: Int16Array
beforeAll(() => {
  sound = numberedFrames(FROM, TO)
})

const numbers = (pcm: Int16Array, rate?: number) => framesIn(pcm, rate).map(({ index }) => index)

/** As over a phone: 8 kHz, µ-law, and back to 16 kHz, frame by frame. */
function byTelephone(pcm: Int16Array): Int16Array {
  const down = createResampler(16_000, 8_000)
  const up = createResampler(8_000, 16_000)
  const out: Int16Array[] = []
  for (let at = 0; at < pcm.length; at += 320) {
    const narrow = down.process(pcm.subarray(at, at + 320))
    const bytes = new Uint8Array(narrow.length)
    encodeMulaw(narrow, bytes)
    const decoded = new Int16Array(narrow.length)
    decodeMulaw(bytes, decoded)
    out.push(up.process(decoded).slice())
  }
  return concat(out)
}

describe('numbered frames', () => {
  test('carry every number, at both rates', () => {
    for (let index = 0; index < 65_536; index += 997)
      for (const rate of [8_000, 16_000])
        expect(framesIn(numberedFrames(index, index + 1, rate), rate)).toMatchObject([{ index, times: 1 }])
  })

  test('are loud enough for speech, and never clipped', () => {
    const peak = sound.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
    expect(peak).toBeGreaterThan(4_000)
    expect(peak).toBeLessThan(30_000)
  })

  test('are found at any alignment', () => {
    for (const offset of [0, 1, 77, 160, 319])
      expect(numbers(sound.subarray(offset)).filter(index => index > FROM)).toEqual(all.slice(1))
  })

  test('survive phone band, µ-law and two resamplers', () => {
    const heard = framesIn(byTelephone(sound))
    expect(heard.map(({ index }) => index)).toEqual(all)
    expect(heard.every(({ times }) => times === 1)).toBe(true)
  })

  test('survive noise 14 dB below them, and are not found in noise alone', () => {
    const random = randomFrom(7)
    const noisy = (level: number) =>
      Int16Array.from(sound, sample => sample * level + (random() - 0.5) * 4_000)
    expect(numbers(noisy(1))).toEqual(all)
    // By chance noise contains 16 clear bits once in thousands of samplings.
    expect(numbers(noisy(0)).length).toBeLessThan(3)
    expect(numbers(new Int16Array(16_000))).toEqual([])
  })

  test('survive mp3', async () => {
    const maker = await Mp3Maker.create()
    const decoded = await decodeSpeech(maker.encode(sound, 16_000, 64), 60)
    expect(numbers(decoded)).toEqual(all)
  })

  test('an invalid rate is named in the error', () => {
    expect(() => numberedFrames(1, 2, 11_025)).toThrow('11025')
  })
})

describe('counting frames', () => {
  const frame = (index: number) => numberedFrames(index, index + 1)
  const heard = (...indices: number[]) => byTelephone(concat(indices.map(frame)))

  test('counts each lost, doubled, repeated and late frame, also over a phone', () => {
    const count = (...indices: number[]) => countFrames(numbers(heard(...indices)), 10, 20)
    const whole = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]
    expect(count(...whole)).toEqual({ lost: [], repeated: 0, late: 0, foreign: [] })
    expect(count(10, 11, 12, 14, 15, 16, 17, 18, 19)).toMatchObject({ lost: [13] })
    expect(count(10, 11, 12, 11, 12, 13, 14, 15, 16, 17, 18, 19)).toMatchObject({ lost: [], repeated: 2 })
    expect(count(10, 11, 13, 12, 14, 15, 16, 17, 18, 19)).toMatchObject({ lost: [], late: 1 })
    expect(count(...whole, 900)).toMatchObject({ lost: [], foreign: [900] })
  })

  test('reports a frame that was received twice in a row', () => {
    const times = framesIn(heard(1, 2, 2, 3, 4, 4, 4, 5)).map(each => [each.index, each.times])
    expect(times).toEqual([
      [1, 1],
      [2, 2],
      [3, 1],
      [4, 3],
      [5, 1],
    ])
  })
})
