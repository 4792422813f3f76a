import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeWav } from '../../../src/transcode/wav.ts'
import { pipe, which } from '../../support/transcode/command.ts'
import { decodeAll, encodeMp3, frameStarts, join } from '../../support/transcode/mp3-fixtures.ts'
import { noise, snr, voice } from '../../support/transcode/signal.ts'

const RATE = 24_000
const SOURCE = voice(RATE, 2.5)
const MP3 = encodeMp3(SOURCE, RATE)
const STARTS = frameStarts(MP3)
const CLEAN = decodeAll(MP3)
/** Samples at 16 kHz that one frame becomes. */
const FRAME = (576 * 16_000) / RATE

const ascii = (text: string) => new TextEncoder().encode(text)
const id3v2 = (size: number, fill: number, claimed = size) =>
  join(
    ascii('ID3'),
    Uint8Array.of(4, 0, 0, (claimed >> 21) & 127, (claimed >> 14) & 127, (claimed >> 7) & 127, claimed & 127),
    new Uint8Array(size).fill(fill),
  )
const ape = (size: number) => {
  const header = new Uint8Array(32)
  header.set(ascii('APETAGEX'))
  header[12] = size + 32
  header[23] = 0xa0
  const footer = header.slice()
  footer[23] = 0x80
  return join(header, new Uint8Array(size).fill(0xff), footer)
}

describe('data that is not audio is silent', () => {
  test.each<[string, Uint8Array]>([
    ['no bytes', new Uint8Array(0)],
    ['JSON', ascii(JSON.stringify({ error: 'rate limited', detail: 'x'.repeat(3000) }))],
    ['HTML', ascii(`<html>${'ÿûÿú'.repeat(1000)}</html>`)],
    ['metadata only', id3v2(3000, 0)],
    ['only a header', MP3.slice(0, 50)],
    ...Array.from({ length: 30 }, (_, seed): [string, Uint8Array] => [
      `garbage ${seed}`,
      noise(20_000, seed * 7919 + 1),
    ]),
  ])('%s', (_, body) => {
    for (const cut of [2_048, 417]) expect(decodeAll(body, [cut])).toHaveLength(0)
  })

  test.skipIf(!which('ffmpeg')).each([
    ['ogg', ['-c:a', 'libopus', '-f', 'ogg']],
    ['flac', ['-f', 'flac']],
    ['aac', ['-c:a', 'aac', '-f', 'adts']],
  ])('%s', (_, coding) => {
    const body = pipe('ffmpeg', ['-v', 'quiet', '-i', 'pipe:0', ...coding, 'pipe:1'], encodeWav(SOURCE, RATE))
    expect(body.length).toBeGreaterThan(1000)
    expect(decodeAll(body, [417])).toHaveLength(0)
  })
})

describe('data around the audio is skipped', () => {
  test.each([
    ['ID3v2 full of ones', id3v2(3000, 0xff), new Uint8Array(0)],
    ['ID3v2 with a picture', id3v2(299_900, 0xfb), new Uint8Array(0)],
    ['two ID3v2', join(id3v2(10, 1), id3v2(500, 2)), new Uint8Array(0)],
    ['ID3v2 that claims 200 MB', id3v2(100, 0, 200_000_000), new Uint8Array(0)],
    [
      'ID3v2 with an invalid size',
      join(ascii('ID3'), Uint8Array.of(4, 0, 0, 255, 255, 255, 255)),
      new Uint8Array(0),
    ],
    ['APE', ape(90), new Uint8Array(0)],
    ['garbage', noise(700, 3), new Uint8Array(0)],
    ['ID3v1 after', new Uint8Array(0), join(ascii('TAG'), new Uint8Array(125).fill(65))],
    ['APE and ID3v1 after', new Uint8Array(0), join(ape(40), ascii('TAG'), new Uint8Array(125))],
    ['garbage after', new Uint8Array(0), noise(700, 9)],
  ])('%s', (_, before, after) => {
    for (const cut of [417, 2_048]) {
      const pcm = decodeAll(join(before, MP3, after), [cut])
      // Some lose a frame or two at their start.
      expect(Math.abs(pcm.length - CLEAN.length)).toBeLessThanOrEqual(3 * FRAME)
      const [fromStart, fromEnd] = [
        snr(CLEAN, pcm, 0, 32_000),
        snr(CLEAN.subarray(-32_000), pcm.subarray(-32_000)),
      ]
      expect(Math.max(fromStart, fromEnd)).toBeGreaterThan(60)
    }
  })

  test('a file of a single frame does no harm', () => {
    expect(decodeAll(MP3.subarray(0, STARTS[1])).length).toBeLessThanOrEqual(FRAME)
  })
})

describe('after damage in the middle, speech goes on', () => {
  const middle = STARTS[40]!
  const replaced = (bytes: Uint8Array, at: number) => {
    const copy = MP3.slice()
    copy.set(bytes, at)
    return copy
  }
  test.each<[string, Uint8Array]>([
    [
      '300 bytes of garbage between frames',
      join(MP3.subarray(0, middle), noise(300, 3), MP3.subarray(middle)),
    ],
    ['20 kB of garbage', join(MP3.subarray(0, middle), noise(20_000, 4), MP3.subarray(middle))],
    ['20 kB of ones', join(MP3.subarray(0, middle), new Uint8Array(20_000).fill(255), MP3.subarray(middle))],
    ['50 bytes missing within a frame', join(MP3.subarray(0, middle + 40), MP3.subarray(middle + 90))],
    ['a header overwritten', replaced(new Uint8Array(4), middle)],
    ['the data of a frame overwritten', replaced(noise(STARTS[41]! - middle - 4, 1), middle + 4)],
    ['a whole frame missing', join(MP3.subarray(0, middle), MP3.subarray(STARTS[41]!))],
  ])('%s', (_, bytes) => {
    const pcm = decodeAll(bytes)
    const tail = 10_000
    expect(snr(CLEAN.subarray(-tail), pcm.subarray(-tail))).toBeGreaterThan(60)
    // Up to eight frames, 190 ms, are lost or gained.
    expect(Math.abs(pcm.length - CLEAN.length)).toBeLessThanOrEqual(8 * FRAME)
  })

  test('the end cut off', () => {
    const pcm = decodeAll(MP3.subarray(0, STARTS[60]! + 20))
    expect(pcm.length).toBeGreaterThan(58 * FRAME - 1_105)
    expect(snr(CLEAN, pcm, 0, pcm.length - 50)).toBeGreaterThan(60)
  })

  test('the start cut off, within a frame', () => {
    const pcm = decodeAll(MP3.subarray(STARTS[10]! + 30))
    expect(pcm.length).toBeGreaterThan(CLEAN.length - 16 * FRAME)
    expect(snr(CLEAN.subarray(-20_000), pcm.subarray(-20_000))).toBeGreaterThan(60)
  })

  test('one bit in a hundred flipped: audio continues, roughly on time', () => {
    const random = noise(MP3.length * 2, 5)
    const bytes = MP3.map((byte, i) => (random[2 * i]! < 3 ? byte ^ (1 << (random[2 * i + 1]! & 7)) : byte))
    expect(decodeAll(bytes).length).toBeGreaterThan(CLEAN.length * 0.5)
  })
})

test('edited MP3 never throws, and makes no sound from nowhere', () => {
  const part = MP3.subarray(0, STARTS[30]!)
  const most = 40 * FRAME
  const edit = fc.record({
    at: fc.nat(part.length),
    remove: fc.nat(200),
    insert: fc.uint8Array({ maxLength: 60 }),
  })
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 6 }), fc.integer({ min: 1, max: 900 }), (edits, cut) => {
      let bytes: Uint8Array = part
      for (const { at, remove, insert } of edits)
        bytes = join(bytes.subarray(0, at), insert, bytes.subarray(Math.min(bytes.length, at + remove)))
      return decodeAll(bytes, [cut]).length <= most
    }),
    { numRuns: 60 },
  )
})
