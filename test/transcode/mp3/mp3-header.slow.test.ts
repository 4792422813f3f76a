import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mp3HeaderAt, sameStream } from '../../../src/transcode/mp3/header.ts'
import { encodeMp3, frameStarts } from '../../support/transcode/mp3-fixtures.ts'
import { voice } from '../../support/transcode/signal.ts'

const RATES = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const

describe('mp3HeaderAt', () => {
  test.each([
    // Bytes, then their meaning in ISO/IEC 11172-3 and 13818-3.
    [
      [0xff, 0xfb, 0x90, 0x64],
      { version: 1, rate: 44_100, channels: 2, bitrate: 128_000, bytes: 417, samples: 1152, dataAt: 36 },
    ],
    [
      [0xff, 0xfb, 0x92, 0x64],
      { version: 1, rate: 44_100, channels: 2, bitrate: 128_000, bytes: 418, samples: 1152, dataAt: 36 },
    ],
    [
      [0xff, 0xfa, 0x90, 0xc4],
      { version: 1, rate: 44_100, channels: 1, bitrate: 128_000, bytes: 417, samples: 1152, dataAt: 23 },
    ],
    [
      [0xff, 0xf3, 0x48, 0xc4],
      { version: 2, rate: 16_000, channels: 1, bitrate: 32_000, bytes: 144, samples: 576, dataAt: 13 },
    ],
    [
      [0xff, 0xe3, 0x18, 0xc4],
      { version: 2.5, rate: 8000, channels: 1, bitrate: 8000, bytes: 72, samples: 576, dataAt: 13 },
    ],
    [
      [0xff, 0xfb, 0xe8, 0x00],
      { version: 1, rate: 32_000, channels: 2, bitrate: 320_000, bytes: 1440, samples: 1152, dataAt: 36 },
    ],
  ])('reads %o', (bytes, header) => {
    expect(mp3HeaderAt(Uint8Array.of(0, ...bytes), 1)).toEqual(header)
  })

  test.each([
    ['no sync', [0xff, 0xdb, 0x90, 0x64]],
    ['reserved version', [0xff, 0xeb, 0x90, 0x64]],
    ['layer I', [0xff, 0xff, 0x90, 0x64]],
    ['layer II', [0xff, 0xfd, 0x90, 0x64]],
    ['AAC (layer 0)', [0xff, 0xf1, 0x90, 0x64]],
    ['free bitrate', [0xff, 0xfb, 0x00, 0x64]],
    ['forbidden bitrate', [0xff, 0xfb, 0xf0, 0x64]],
    ['reserved rate', [0xff, 0xfb, 0x9c, 0x64]],
    ['reserved emphasis', [0xff, 0xfb, 0x90, 0x66]],
    ['cut', [0xff, 0xfb, 0x90]],
  ])('rejects %s', (_, bytes) => {
    expect(mp3HeaderAt(Uint8Array.from(bytes), 0)).toBeUndefined()
  })

  test('only finds frames between the size of the side information and the maximum', () => {
    const bytes = fc.tuple(fc.constant(255), fc.integer({ min: 0xe0, max: 255 }), fc.nat(255), fc.nat(255))
    fc.assert(
      fc.property(bytes, four => {
        const header = mp3HeaderAt(Uint8Array.from(four), 0)
        if (!header) return true
        return header.bytes >= header.dataAt && header.bytes <= 1_441 && header.samples <= 1152
      }),
      { numRuns: 5000 },
    )
  })

  test.each(RATES)('finds every frame of a file at %i Hz', rate => {
    for (const channels of [1, 2] as const) {
      const mp3 = encodeMp3(voice(rate, 0.5), rate, channels)
      expect(frameStarts(mp3).at(-1)).toBe(mp3.length)
      const header = mp3HeaderAt(mp3, 0)!
      expect([header.rate, header.channels]).toEqual([rate, channels])
    }
  })
})

test('matches frames by version, rate and channels, not by bitrate', () => {
  const of = (...bytes: number[]) => mp3HeaderAt(Uint8Array.from(bytes), 0)!
  expect(sameStream(of(0xff, 0xfb, 0x90, 0x64), of(0xff, 0xfb, 0x50, 0x04))).toBe(true)
  expect(sameStream(of(0xff, 0xfb, 0x90, 0x64), of(0xff, 0xfb, 0x90, 0xc4))).toBe(false)
  expect(sameStream(of(0xff, 0xfb, 0x90, 0x64), of(0xff, 0xfb, 0x94, 0x64))).toBe(false)
})
