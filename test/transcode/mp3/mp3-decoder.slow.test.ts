import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { Mp3Decoder, mp3DecodersInUse, mp3Ready } from '../../../src/transcode/mp3/mp3-decoder.ts'
import { samplesOf } from '../../../src/transcode/pcm.ts'
import { SpeechDecoder } from '../../../src/transcode/speech-decoder.ts'
import { pipe, which } from '../../support/transcode/command.ts'
import { decodeAll, encodeMp3, frameStarts, join, lame } from '../../support/transcode/mp3-fixtures.ts'
import { lagOf, sine, snr, voice } from '../../support/transcode/signal.ts'

const RATES = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const
const SECONDS = 1.5
const SOURCE = voice(16_000, SECONDS)

describe('emits its input at 16 kHz, at the right position', () => {
  test.each(RATES.flatMap(rate => [[rate, 1] as const, [rate, 2] as const]))(
    '%i Hz, %i channels',
    (rate, channels) => {
      const mp3 = encodeMp3(voice(rate, SECONDS), rate, channels)
      const pcm = decodeAll(mp3)
      expect(lagOf(SOURCE, pcm, 12)).toMatchObject({ lag: 0, correlation: expect.closeTo(1, 2) })
      const frames = frameStarts(mp3).length - 1
      expect(pcm.length).toBe(Math.ceil(((frames * (rate > 24_000 ? 1152 : 576) - 1105) * 16_000) / rate))
    },
  )

  test.skipIf(!which('lame')).each(RATES)('%i Hz with a tag: exactly as long as the source', rate => {
    const source = voice(rate, SECONDS)
    for (const options of [
      ['-V', '4'],
      ['-b', rate > 24_000 ? '96' : '64'],
      ['-V', '2', '-m', 's'],
      ['--abr', '60'],
      ['-p', '-V', '5'],
    ]) {
      const pcm = decodeAll(lame(source, rate, ...options))
      expect(pcm.length, options.join(' ')).toBe(Math.ceil((source.length * 16_000) / rate))
      expect(lagOf(SOURCE, pcm, 12), options.join(' ')).toMatchObject({
        lag: 0,
        correlation: expect.closeTo(1, 1),
      })
    }
  })

  test.skipIf(!which('lame')).each(['--id3v1-only', '--id3v2-only', '--add-id3v2'])(
    'and with metadata, %s',
    option => {
      const mp3 = lame(SOURCE, 16_000, '-V', '3', option, '--tt', 'A title', '--ta', 'Somebody')
      expect(decodeAll(mp3).length).toBe(SOURCE.length)
    },
  )

  test.skipIf(!which('lame') || !which('ffmpeg')).each([
    ['-V', '4'],
    ['-b', '48'],
    ['-b', '64', '-m', 's'],
  ])('matches ffmpeg for lame %s %s', (...options) => {
    const mp3 = lame(SOURCE, 16_000, ...options)
    const theirs = samplesOf(
      pipe('ffmpeg', ['-v', 'quiet', '-i', 'pipe:0', '-ac', '1', '-f', 's16le', 'pipe:1'], mp3),
    )
    const pcm = decodeAll(mp3)
    // From a pipe, ffmpeg keeps the padding at the end.
    expect(theirs.length).toBeGreaterThanOrEqual(pcm.length)
    expect(snr(theirs, pcm)).toBeGreaterThan(75)
  })

  test.skipIf(!which('ffmpeg'))('from an encoder that writes an incomplete tag to a pipe', () => {
    const wav = ['-f', 's16le', '-ar', '24000', '-ac', '1', '-i', 'pipe:0']
    const source = voice(24_000, SECONDS)
    const mp3 = pipe(
      'ffmpeg',
      ['-v', 'quiet', ...wav, '-b:a', '64k', '-f', 'mp3', 'pipe:1'],
      new Uint8Array(source.buffer),
    )
    expect(lagOf(SOURCE, decodeAll(mp3), 12)).toMatchObject({ lag: 0, correlation: expect.closeTo(1, 2) })
  })
})

describe('with any splitting of the bytes', () => {
  const file = encodeMp3(voice(24_000, 1), 24_000)
  const whole = decodeAll(file)

  test.each([1, 2, 7, 143, 144, 145, 417])('pieces of %i bytes give the same samples', length => {
    expect(decodeAll(file, [length])).toEqual(whole)
  })

  test('pieces of arbitrary lengths give the same samples', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 9 }), cuts => {
        expect(decodeAll(file, cuts)).toEqual(whole)
      }),
      { numRuns: 25 },
    )
  })
})

describe('the decoders of the process', () => {
  test('do not mix voices', () => {
    const loud = encodeMp3(sine(700, 16_000, 8000), 16_000)
    const mp3 = encodeMp3(voice(16_000, 0.5), 16_000)
    const fresh = decodeAll(mp3)
    decodeAll(loud.subarray(0, (loud.length >> 1) + 50))
    expect(decodeAll(mp3)).toEqual(fresh)
    decodeAll(encodeMp3(sine(700, 44_100, 9000), 44_100, 2).subarray(0, 1000))
    expect(decodeAll(mp3)).toEqual(fresh)
    const others = Array.from({ length: 4 }, () => new SpeechDecoder(() => {}))
    for (const [n, other] of others.entries()) other.write(loud.subarray(0, 600 + 100 * n), true)
    expect(decodeAll(mp3)).toEqual(fresh)
    for (const other of others) other.close()
  })

  test('are made when they are needed: a voice waits for one, and loses nothing', async () => {
    const before = mp3DecodersInUse()
    const kept: Mp3Decoder[] = []
    for (let decoder = Mp3Decoder.create(); decoder; decoder = Mp3Decoder.create()) kept.push(decoder)
    const mp3 = encodeMp3(voice(16_000, 0.2), 16_000)
    let heard = 0
    const waiting = new SpeechDecoder(pcm => {
      heard += pcm.length
    })
    expect(waiting.write(mp3, true)).toBe(false)
    await mp3Ready()
    expect(waiting.write(mp3, true)).toBe(true)
    expect(waiting.finish()).toBe(true)
    expect(heard).toBe(decodeAll(mp3).length)
    for (const decoder of kept) decoder.free()
    expect(mp3DecodersInUse()).toBe(before)
  })

  test('can be freed from the callback', () => {
    const before = mp3DecodersInUse()
    const decoder: SpeechDecoder = new SpeechDecoder(() => decoder.close())
    expect(decoder.write(encodeMp3(SOURCE, 16_000), true)).toBe(true)
    expect(mp3DecodersInUse()).toBe(before)
  })

  test('print nothing', () => {
    const spies = (['error', 'warn', 'log'] as const).map(name => vi.spyOn(console, name))
    const mp3 = encodeMp3(SOURCE, 16_000).slice()
    for (let i = 5; i < mp3.length; i += 31) mp3[i]! ^= 0x55
    decodeAll(mp3)
    for (const spy of spies) expect(spy).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })
})

describe('files one after the other in one result', () => {
  test('are all heard, even with other rates and channels', () => {
    const parts = [
      encodeMp3(voice(24_000, 0.5), 24_000),
      encodeMp3(voice(24_000, 0.4, 2), 24_000, 2),
      encodeMp3(voice(48_000, 0.6, 3), 48_000),
    ]
    const alone = parts.map(part => decodeAll(part))
    const pcm = decodeAll(join(...parts))
    // The silence at the start of the second and third one is heard: 46 and 23 ms, and at most a frame is lost.
    const most = alone.reduce((sum, each) => sum + each.length, 0) + 1_120
    expect(pcm.length).toBeLessThanOrEqual(most)
    expect(pcm.length).toBeGreaterThan(most - 1_300)
    const last = alone[2]!
    expect(lagOf(last.subarray(-6_000), pcm.subarray(-6_000), 30).correlation).toBeGreaterThan(0.98)
  })

  test.skipIf(!which('lame'))('tags and metadata between them are silent', () => {
    const one = lame(voice(24_000, 0.5), 24_000, '-V', '4', '--add-id3v2', '--id3v1-only', '--tt', 'A title')
    const pcm = decodeAll(join(one, one, one), [100])
    // At a joint, up to 80 ms are gained or lost.
    expect(Math.abs(pcm.length - 24_000)).toBeLessThan(2 * 1_300)
    expect(snr(decodeAll(one), pcm, 100, 7_500)).toBeGreaterThan(60)
  })
})
