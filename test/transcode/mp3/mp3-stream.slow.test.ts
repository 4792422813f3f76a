import fc from 'fast-check'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { Mp3Pool } from '../../../src/transcode/mp3/decoder-pool.ts'
import { Mp3Stream } from '../../../src/transcode/mp3/stream.ts'
import { samplesOf } from '../../../src/transcode/pcm.ts'
import { pipe, which } from '../../support/transcode/command.ts'
import {
  decodeAll,
  encodeMp3,
  frameStarts,
  join,
  lame,
  openPool,
} from '../../support/transcode/mp3-fixtures.ts'
import { lagOf, sine, snr, voice } from '../../support/transcode/signal.ts'

const RATES = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const
const SECONDS = 1.5
const SOURCE = voice(16_000, SECONDS)

const pool = await openPool()
afterAll(() => pool.close())

describe('emits its input at 16 kHz, at the right position', () => {
  test.each(RATES.flatMap(rate => [[rate, 1] as const, [rate, 2] as const]))(
    '%i Hz, %i channels',
    (rate, channels) => {
      const source = voice(rate, SECONDS)
      const mp3 = encodeMp3(source, rate, channels)
      const { pcm, stats } = decodeAll(pool, mp3)
      expect(lagOf(SOURCE, pcm, 12)).toMatchObject({ lag: 0, correlation: expect.closeTo(1, 2) })
      const samples = stats.frames * (rate > 24_000 ? 1152 : 576) - 1105
      expect(pcm.length).toBe(Math.ceil((samples * 16_000) / rate))
      expect(stats).toMatchObject({
        frames: frameStarts(mp3).length - 1,
        tagFrames: 0,
        badFrames: 0,
        invalidBytes: 0,
        files: 1,
      })
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
      const { pcm, stats } = decodeAll(pool, lame(source, rate, ...options))
      expect(stats, options.join(' ')).toMatchObject({
        tagFrames: 1,
        badFrames: 0,
        invalidBytes: 0,
        files: 1,
      })
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
      const { pcm, stats } = decodeAll(
        pool,
        lame(SOURCE, 16_000, '-V', '3', option, '--tt', 'A title', '--ta', 'Somebody'),
      )
      expect(pcm.length).toBe(SOURCE.length)
      expect(stats.invalidBytes).toBe(0)
      expect(stats.metadataBytes).toBeGreaterThan(100)
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
    const { pcm } = decodeAll(pool, mp3)
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
    const { pcm, stats } = decodeAll(pool, mp3)
    expect(stats).toMatchObject({ badFrames: 0, invalidBytes: 0, files: 1 })
    expect(lagOf(SOURCE, pcm, 12)).toMatchObject({ lag: 0, correlation: expect.closeTo(1, 2) })
  })
})

describe('with any splitting of the bytes', () => {
  const file = join(
    encodeMp3(voice(24_000, 0.3), 24_000),
    encodeMp3(voice(16_000, 0.3, 2), 16_000, 2),
    Uint8Array.of(1, 2, 0xff, 0xfb, 5),
    encodeMp3(voice(44_100, 0.4, 3), 44_100),
  )
  const whole = decodeAll(pool, file)

  test.each([1, 2, 7, 143, 144, 145, 417])('pieces of %i bytes give the same samples', length => {
    expect(decodeAll(pool, file, [length])).toEqual(whole)
  })

  test('pieces of arbitrary lengths give the same samples', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 9 }), cuts => {
        expect(decodeAll(pool, file, cuts)).toEqual(whole)
      }),
      { numRuns: 25 },
    )
  })

  test('decode does at most the requested work', () => {
    const parts: number[] = []
    const stream = new Mp3Stream(pool, pcm => parts.push(pcm.length))
    stream.write(encodeMp3(SOURCE, 16_000))
    expect(stream.stats.frames).toBe(0)
    expect(stream.decode(3)).toBe('more')
    expect(stream.stats.frames).toBe(3)
    expect(stream.decode(1)).toBe('more')
    expect(stream.decode()).toBe('idle')
    stream.end()
    expect(stream.decode(1)).toBe('idle')
    expect(() => stream.decode(0)).toThrow(RangeError)
    expect(() => stream.decode(1.5)).toThrow('got 1.5')
    stream.close()
  })
})

describe('files one after the other in one session', () => {
  test('each keeps its position, even with other rates and channels', () => {
    const seconds = [0.5, 0.4, 0.6]
    const parts = [
      encodeMp3(voice(24_000, seconds[0]!), 24_000),
      encodeMp3(voice(24_000, seconds[1]!, 2), 24_000, 2),
      encodeMp3(voice(48_000, seconds[2]!, 3), 48_000),
    ]
    const alone = parts.map(part => decodeAll(pool, part).pcm)
    const { pcm, stats } = decodeAll(pool, join(...parts))
    expect(stats).toMatchObject({ files: 3, rateChanges: 1, invalidBytes: 0, badFrames: 0 })
    expect(Math.abs(pcm.length - alone.reduce((sum, each) => sum + each.length, 0))).toBeLessThanOrEqual(2)
    let at = 0
    for (const each of alone) {
      expect(lagOf(each, pcm.subarray(at), 5)).toMatchObject({ correlation: expect.closeTo(1, 2) })
      at += each.length
    }
  })

  test.skipIf(!which('lame'))('tags and metadata between them are silent', () => {
    const one = lame(voice(24_000, 0.5), 24_000, '-V', '4', '--add-id3v2', '--id3v1-only', '--tt', 'A title')
    const { pcm, stats } = decodeAll(pool, join(one, one, one), [100])
    expect(stats).toMatchObject({ files: 3, tagFrames: 3, invalidBytes: 0, badFrames: 0, rateChanges: 0 })
    expect(pcm.length).toBe(24_000)
    const first = decodeAll(pool, one).pcm
    for (const i of [1, 2]) expect(snr(first, pcm.subarray(i * 8000), 100, 7900)).toBeGreaterThan(60)
  })
})

describe('the life of a stream', () => {
  test('does not mix files that share one decoder', async () => {
    const single = new Mp3Pool({ max: 1 })
    await single.ready()
    const loud = encodeMp3(sine(700, 16_000, 8000), 16_000)
    const mp3 = encodeMp3(voice(16_000, 0.5), 16_000)
    const fresh = decodeAll(single, mp3)
    decodeAll(single, loud.subarray(0, (loud.length >> 1) + 50))
    expect(decodeAll(single, mp3)).toEqual(fresh)
    decodeAll(single, encodeMp3(sine(700, 44_100, 9000), 44_100, 2).subarray(0, 1000))
    expect(decodeAll(single, mp3)).toEqual(fresh)
    expect(single.size).toBe(1)
    single.close()
  })

  test('waits for a decoder, and decodes all once one is free', async () => {
    const single = new Mp3Pool({ max: 1 })
    await single.ready()
    const mp3 = encodeMp3(voice(16_000, 0.2), 16_000)
    const first = new Mp3Stream(single, () => {})
    first.write(mp3)
    expect(first.decode(1)).toBe('more')
    let heard = 0
    const second = new Mp3Stream(single, pcm => {
      heard += pcm.length
    })
    second.write(mp3)
    second.end()
    expect(second.decode()).toBe('waiting')
    first.close()
    first.close()
    expect(single.idle).toBe(1)
    expect(second.decode()).toBe('idle')
    expect(heard).toBe(decodeAll(single, mp3).pcm.length)
    expect(single.idle).toBe(1)
    single.close()
  })

  test('counts rejected bytes: above the buffer limit or after the end', () => {
    const stream = new Mp3Stream(pool, () => {})
    stream.write(new Uint8Array(3 << 20))
    expect(stream.stats.overflowBytes).toBe(1 << 20)
    stream.decode()
    stream.end()
    stream.write(new Uint8Array(5))
    stream.decode()
    stream.close()
    stream.write(new Uint8Array(7))
    expect(stream.stats.overflowBytes).toBe((1 << 20) + 12)
    expect(stream.decode()).toBe('idle')
  })

  test('can be closed from its callback', () => {
    const stream: Mp3Stream = new Mp3Stream(pool, () => stream.close())
    const idle = pool.idle
    stream.write(encodeMp3(SOURCE, 16_000))
    expect(stream.decode()).toBe('idle')
    expect(pool.idle).toBeGreaterThanOrEqual(idle)
  })

  test('holds no decoder before the first frame or after the end', () => {
    const before = pool.size - pool.idle
    const stream = new Mp3Stream(pool, () => {})
    stream.write(Uint8Array.of(1, 2, 3))
    stream.decode()
    stream.end()
    stream.decode()
    expect(pool.size - pool.idle).toBe(before)
  })

  test('prints nothing', () => {
    const spies = (['error', 'warn', 'log'] as const).map(name => vi.spyOn(console, name))
    const mp3 = encodeMp3(SOURCE, 16_000).slice()
    for (let i = 5; i < mp3.length; i += 31) mp3[i]! ^= 0x55
    decodeAll(pool, mp3)
    for (const spy of spies) expect(spy).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })
})
