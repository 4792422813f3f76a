import { expect, test } from 'vitest'
import { which } from '../../support/transcode/command.ts'
import {
  decodeAll,
  decodeResults,
  encodeMp3,
  frameStarts,
  join,
  lame,
} from '../../support/transcode/mp3-fixtures.ts'
import { lagOf, noise, snr, voice } from '../../support/transcode/signal.ts'

/** Audio at the seams between results of a service, each of which is a file or a piece of one. */

const RATES = [8000, 16_000, 22_050, 24_000, 44_100, 48_000] as const

/** Audio that is loud from the first sample to the last. */
function abrupt(rate: number, seconds: number, seed: number): Int16Array {
  return voice(rate, seconds, seed).map(
    (sample, i) => sample / 2 + 6_000 * Math.sin((2 * Math.PI * (200 + 50 * seed) * i) / rate),
  )
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
  const alone = files.map(file => decodeAll(file))
  const pcm = decodeResults(files)
  expect(Math.abs(pcm.length - alone.reduce((sum, each) => sum + each.length, 0))).toBeLessThanOrEqual(5)
  let at = 0
  for (const each of alone) {
    // Positions can differ slightly between samples.
    const { lag, correlation } = lagOf(each, pcm.subarray(at, at + each.length), 8)
    expect(Math.abs(lag)).toBeLessThanOrEqual(4)
    expect(correlation).toBeGreaterThan(0.98)
    at += each.length
  }
})

test('decodes pieces of one MP3 as a whole, for any cuts', () => {
  const mp3 = encodeMp3(voice(16_000, 3), 16_000)
  const whole = decodeAll(mp3)
  const starts = frameStarts(mp3).slice(1, -1)
  for (const places of [
    starts,
    starts.filter((_, n) => n % 7 === 0),
    starts.map(at => at + 50),
    Array.from({ length: 40 }, (_, n) => (n + 1) * 100),
  ])
    expect(decodeResults(cutAt(mp3, places))).toEqual(whole)
})

test.skipIf(!which('lame'))('decodes pieces of an encoder without a bit reservoir as a whole', () => {
  const mp3 = lame(abrupt(16_000, 2, 1), 16_000, '-b', '48', '--nores', '-t')
  expect(decodeResults(cutAt(mp3, frameStarts(mp3).slice(1, -1)))).toEqual(decodeAll(mp3))
})

test.skipIf(!which('lame'))(
  'a piece of such an encoder that starts in a pause shortens the pause at most',
  () => {
    for (const [rate, kilobits, loudness] of [
      [16_000, '48', 0],
      [24_000, '64', 30],
      [44_100, '64', 30],
    ] as const) {
      const hiss = noise(rate * 4, rate)
      const speech = voice(rate, 4).map(
        (sample, i) => (i % rate < 0.6 * rate ? sample : 0) + Math.round((hiss[i]! / 128 - 1) * loudness),
      )
      const mp3 = lame(speech, rate, '-b', kilobits, '--nores', '-t')
      const whole = decodeAll(mp3)
      const [places, most] = [frameStarts(mp3).slice(1, -1), Math.ceil((1_105 * 16_000) / rate) + 1]
      for (const at of places.filter((_, n) => n % 6 === 0)) {
        const pcm = decodeResults(cutAt(mp3, [at]))
        expect(whole.length - pcm.length).toBeLessThanOrEqual(most)
        const end = Math.min(16_000, Math.floor((((mp3.length - at) * 8) / Number(kilobits)) * 16) - 1_600)
        if (end < 14_000) continue
        const { lag, correlation } = lagOf(whole.subarray(-end), pcm.subarray(-end), 8)
        expect(Math.abs(lag)).toBeLessThanOrEqual(2)
        expect(correlation).toBeGreaterThan(0.98)
      }
    }
  },
)

test.skipIf(!which('lame'))('joins files with tags without a gap', () => {
  const files = [1, 2].map(seed => lame(voice(44_100, 0.5, seed), 44_100, '-b', '64'))
  const pcm = decodeResults(files)
  expect(Math.abs(pcm.length - 16_000)).toBeLessThanOrEqual(2)
  expect(snr(decodeAll(files[1]!).subarray(200), pcm.subarray(8_200))).toBeGreaterThan(30)
})

test('loses only the result that ends within a frame', () => {
  const [one, two] = [1, 2].map(seed => encodeMp3(abrupt(16_000, 0.5, seed), 16_000)) as [
    Uint8Array,
    Uint8Array,
  ]
  const pcm = decodeResults([one.subarray(0, one.length - 60), two])
  expect(snr(decodeAll(two).subarray(-4_000), pcm.subarray(-4_000))).toBeGreaterThan(40)
})

test('handles empty results and very many results', () => {
  const mp3 = encodeMp3(voice(16_000, 1), 16_000)
  const bytes = join(mp3, mp3, mp3)
  expect(decodeResults(Array.from(bytes, (_, n) => bytes.subarray(n, n + 1))).length).toBeGreaterThan(40_000)
  expect(decodeResults([new Uint8Array(0), mp3, new Uint8Array(0)])).toEqual(decodeAll(mp3))
})
