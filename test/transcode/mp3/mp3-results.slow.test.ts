import { afterAll, expect, test } from 'vitest'
import { Mp3Stream } from '../../../src/transcode/mp3/stream.ts'
import { which } from '../../support/transcode/command.ts'
import {
  decodeAll,
  encodeMp3,
  frameStarts,
  join,
  lame,
  openPool,
} from '../../support/transcode/mp3-fixtures.ts'
import { lagOf, noise, snr, voice } from '../../support/transcode/signal.ts'

/** Audio at the seams between results of a service, each of which is a file or a piece of one. */

const RATES = [8000, 16_000, 22_050, 24_000, 44_100, 48_000] as const
/** Delay of encoder and decoder before the audio of each file (samples). */
const DELAY = 1_105

const pool = await openPool()
afterAll(() => pool.close())

/** Audio that is loud from the first sample to the last. */
function abrupt(rate: number, seconds: number, seed: number): Int16Array {
  return voice(rate, seconds, seed).map(
    (sample, i) => sample / 2 + 6_000 * Math.sin((2 * Math.PI * (200 + 50 * seed) * i) / rate),
  )
}

/** The output for `results`, written one by one; `marked`: with their starts marked. */
function heard(results: readonly Uint8Array[], marked: boolean) {
  const pieces: number[] = []
  const stream = new Mp3Stream(pool, pcm => {
    for (const sample of pcm) pieces.push(sample)
  })
  for (const result of results) {
    if (marked) stream.begin()
    stream.write(result)
    stream.decode(2)
  }
  stream.end()
  stream.decode()
  const { stats } = stream
  stream.close()
  return { pcm: Int16Array.from(pieces), stats }
}

/** Splits `whole` before each byte offset in `places`. */
function cutAt(whole: Uint8Array, places: readonly number[]): Uint8Array[] {
  return [0, ...places].map((at, i) => whole.subarray(at, places[i]))
}

test.each(RATES)('joins files without tags without a gap: %i Hz', rate => {
  const sources = [
    voice(rate, 0.5, 1),
    abrupt(rate, 0.4, 2),
    abrupt(rate, 0.3, 3),
    voice(rate, 0.35, 2),
    voice(rate, 0.2, 1),
  ]
  const files = sources.map(source => encodeMp3(source, rate))
  const alone = files.map(file => decodeAll(pool, file).pcm)
  const { pcm, stats } = heard(files, true)
  expect(stats).toMatchObject({ files: 5, badFrames: 0, invalidBytes: 0, mutedFrames: 0 })
  expect(Math.abs(pcm.length - alone.reduce((sum, each) => sum + each.length, 0))).toBeLessThanOrEqual(5)
  let at = 0
  for (const each of alone) {
    // Positions can differ slightly between samples.
    const { lag, correlation } = lagOf(each, pcm.subarray(at, at + each.length), 8)
    expect(Math.abs(lag)).toBeLessThanOrEqual(4)
    expect(correlation).toBeGreaterThan(0.98)
    at += each.length
  }
  const untold = heard(files, false)
  expect(untold.stats.files).toBe(1)
  const gaps = Math.round((4 * DELAY * 16_000) / rate)
  expect(Math.abs(untold.pcm.length - pcm.length - gaps)).toBeLessThanOrEqual(8)
})

test('joins results that arrive in pieces of any size', () => {
  const files = [1, 2, 3].map(seed => encodeMp3(abrupt(16_000, 0.3, seed), 16_000))
  const whole = heard(files, true)
  for (const size of [1, 7, 144, 500]) {
    const pieces: number[] = []
    const stream = new Mp3Stream(pool, pcm => void pieces.push(...pcm))
    for (const file of files) {
      stream.begin()
      for (let at = 0; at < file.length; at += size) {
        stream.write(file.subarray(at, at + size))
        stream.decode()
      }
    }
    stream.end()
    stream.decode()
    expect(stream.stats).toEqual(whole.stats)
    expect(Int16Array.from(pieces)).toEqual(whole.pcm)
    stream.close()
  }
})

test('decodes pieces of one MP3 as a whole, for any cuts', () => {
  const mp3 = encodeMp3(voice(16_000, 3), 16_000)
  const whole = decodeAll(pool, mp3)
  const starts = frameStarts(mp3).slice(1, -1)
  for (const places of [
    starts,
    starts.filter((_, n) => n % 7 === 0),
    starts.map(at => at + 50),
    Array.from({ length: 40 }, (_, n) => (n + 1) * 100),
  ])
    expect(heard(cutAt(mp3, places), true)).toEqual(whole)
})

test.skipIf(!which('lame'))('decodes pieces of an encoder without a bit reservoir as a whole', () => {
  const mp3 = lame(abrupt(16_000, 2, 1), 16_000, '-b', '48', '--nores', '-t')
  const whole = decodeAll(pool, mp3)
  expect(whole.stats.files).toBe(1)
  expect(heard(cutAt(mp3, frameStarts(mp3).slice(1, -1)), true)).toEqual(whole)
})

test.skipIf(!which('lame')).each([
  ['speech with pauses of silence', 0],
  ['speech with pauses of quiet noise', 30],
] as const)('decodes a piece of such an encoder that starts in a pause: %s', (_what, loudness) => {
  let [cuts, pauses] = [0, 0]
  for (const [rate, kilobits] of [
    [16_000, '48'],
    [24_000, '64'],
    [44_100, '64'],
  ] as const) {
    const hiss = noise(rate * 4, rate)
    const speech = voice(rate, 4).map(
      (sample, i) => (i % rate < 0.6 * rate ? sample : 0) + Math.round((hiss[i]! / 128 - 1) * loudness),
    )
    const mp3 = lame(speech, rate, '-b', kilobits, '--nores', '-t')
    const whole = decodeAll(pool, mp3)
    for (const at of frameStarts(mp3)
      .slice(1, -1)
      .filter((_, n) => n % 6 === 0)) {
      const { pcm, stats } = heard(cutAt(mp3, [at]), true)
      expect(stats.files).toBe(1)
      expect(pcm).toEqual(whole.pcm)
      cuts++
      if (((at * 8) / Number(kilobits)) % 1_000 > 700) pauses++
    }
  }
  expect(cuts).toBeGreaterThan(60)
  expect(pauses).toBeGreaterThan(15)
})

test.skipIf(!which('lame'))('detects files by their tags', () => {
  const files = [1, 2].map(seed => lame(voice(44_100, 0.5, seed), 44_100, '-b', '64'))
  const { pcm, stats } = heard(files, true)
  expect(stats).toMatchObject({ files: 2, tagFrames: 2 })
  expect(pcm).toEqual(heard(files, false).pcm)
})

test('loses only the result that ends within a frame', () => {
  const [one, two] = [1, 2].map(seed => encodeMp3(abrupt(16_000, 0.5, seed), 16_000)) as [
    Uint8Array,
    Uint8Array,
  ]
  const { pcm } = heard([one.subarray(0, one.length - 60), two], true)
  const alone = decodeAll(pool, two).pcm
  expect(snr(alone.subarray(-4_000), pcm.subarray(-4_000))).toBeGreaterThan(40)
})

test('handles empty results and very many results', () => {
  const stream = new Mp3Stream(pool, () => {})
  const mp3 = encodeMp3(voice(16_000, 1), 16_000)
  for (let n = 0; n < 100_000; n++) {
    stream.begin()
    stream.write(mp3.subarray(n % mp3.length, (n % mp3.length) + 1))
  }
  stream.begin()
  stream.begin()
  stream.end()
  expect(stream.decode()).toBe('idle')
  expect(stream.stats.files).toBeGreaterThan(0)
  expect(join(mp3).length).toBe(mp3.length)
  stream.close()
})
