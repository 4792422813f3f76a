import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { Mp3Stream } from '../../../src/transcode/mp3/stream.ts'
import { encodeWav } from '../../../src/transcode/wav.ts'
import { pipe, which } from '../../support/transcode/command.ts'
import { decodeAll, encodeMp3, frameStarts, join, openPool } from '../../support/transcode/mp3-fixtures.ts'
import { noise, snr, voice } from '../../support/transcode/signal.ts'

const RATE = 24_000
const SOURCE = voice(RATE, 2.5)
const MP3 = encodeMp3(SOURCE, RATE)
const STARTS = frameStarts(MP3)
const FRAMES = STARTS.length - 1

const pool = await openPool()
afterAll(() => pool.close())
const CLEAN = decodeAll(pool, MP3)
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

describe('data that is not MP3 produces no audio', () => {
  const bodies: [string, Uint8Array][] = [
    ['no bytes', new Uint8Array(0)],
    ['zeros', new Uint8Array(10_000)],
    ['ones', new Uint8Array(10_000).fill(255)],
    ['JSON', ascii(JSON.stringify({ error: 'rate limited', detail: 'x'.repeat(3000) }))],
    ['HTML', ascii(`<html>${'ÿûÿú'.repeat(1000)}</html>`)],
    ['WAV', encodeWav(SOURCE, RATE)],
    [
      'quiet WAV',
      encodeWav(
        SOURCE.map(sample => sample >> 9),
        RATE,
      ),
    ],
    [
      'WAV of -1 and -5',
      encodeWav(
        Int16Array.from({ length: 40_000 }, (_, i) => (i % 3 ? -1 : -5)),
        RATE,
      ),
    ],
    ['metadata only', id3v2(3000, 0)],
    ['only a header', MP3.slice(0, 50)],
    ...Array.from({ length: 30 }, (_, seed): [string, Uint8Array] => [
      `garbage ${seed}`,
      noise(20_000, seed * 7919 + 1),
    ]),
  ]
  test.each(bodies)('%s', (_, body) => {
    for (const cut of [body.length || 1, 417]) {
      const { pcm, stats } = decodeAll(pool, body, [cut])
      expect(pcm.length).toBe(0)
      expect(stats).toMatchObject({
        frames: 0,
        tagFrames: 0,
        invalidBytes: body.length - stats.metadataBytes,
      })
    }
  })

  test.skipIf(!which('ffmpeg')).each([
    ['ogg', ['-c:a', 'libopus', '-f', 'ogg']],
    ['flac', ['-f', 'flac']],
    ['aac', ['-c:a', 'aac', '-f', 'adts']],
    ['mp2', ['-c:a', 'mp2', '-f', 'mp2']],
  ])('%s', (_, coding) => {
    const body = pipe('ffmpeg', ['-v', 'quiet', '-i', 'pipe:0', ...coding, 'pipe:1'], encodeWav(SOURCE, RATE))
    expect(body.length).toBeGreaterThan(1000)
    expect(decodeAll(pool, body, [417])).toMatchObject({ stats: { frames: 0, invalidBytes: body.length } })
  })
})

describe('data around the audio is skipped', () => {
  test.each([
    ['ID3v2 full of ones', id3v2(3000, 0xff), new Uint8Array(0), 0],
    ['two ID3v2', join(id3v2(10, 1), id3v2(500, 2)), new Uint8Array(0), 0],
    ['ID3v2 that claims 200 MB', id3v2(100, 0, 200_000_000), new Uint8Array(0), 110],
    [
      'ID3v2 with an invalid size',
      join(ascii('ID3'), Uint8Array.of(4, 0, 0, 255, 255, 255, 255)),
      new Uint8Array(0),
      10,
    ],
    ['APE', ape(90), new Uint8Array(0), 0],
    ['garbage', noise(5000, 3), new Uint8Array(0), 5000],
    ['ID3v1 after', new Uint8Array(0), join(ascii('TAG'), new Uint8Array(125).fill(65)), 0],
    ['APE and ID3v1 after', new Uint8Array(0), join(ape(40), ascii('TAG'), new Uint8Array(125)), 0],
    ['garbage after', new Uint8Array(0), noise(700, 9), 700],
  ])('%s', (_, before, after, junk) => {
    for (const cut of [1, 417, 100_000]) {
      const { pcm, stats } = decodeAll(pool, join(before, MP3, after), [cut])
      expect(stats.invalidBytes).toBe(junk)
      expect(stats.frames).toBe(FRAMES)
      expect(pcm).toEqual(CLEAN.pcm)
    }
  })

  test('a file of a single frame is played', () => {
    expect(decodeAll(pool, MP3.subarray(0, STARTS[1])).stats).toMatchObject({ frames: 1, invalidBytes: 0 })
  })
})

/** Number of frames of the clean sound that are missing or changed, given the start of the damage. */
function lost(damaged: Int16Array, frame: number, removed: number): number {
  const from = Math.floor(frame * FRAME - (1105 * 16_000) / RATE)
  for (let frames = 0; frames < 20; frames++) {
    const after = Math.ceil(from + (frames + removed) * FRAME)
    const good = snr(CLEAN.pcm.subarray(after), damaged.subarray(after - removed * FRAME)) > 60
    if (good) return frames + removed
  }
  return Infinity
}

describe('damage in the middle', () => {
  const middle = STARTS[40]!
  test('300 bytes of garbage between frames', () => {
    const { pcm, stats } = decodeAll(pool, join(MP3.subarray(0, middle), noise(300, 3), MP3.subarray(middle)))
    expect(stats).toMatchObject({ frames: FRAMES, invalidBytes: 300 })
    expect(lost(pcm, 40, 0)).toBeLessThanOrEqual(3)
  })

  test('50 bytes missing within a frame', () => {
    const { pcm, stats } = decodeAll(pool, join(MP3.subarray(0, middle + 40), MP3.subarray(middle + 90)))
    expect(FRAMES - stats.frames).toBeLessThanOrEqual(1)
    // The cut frame, the frame its end runs into, and frames that refer back to the bytes of either.
    expect(lost(pcm, 40, FRAMES - stats.frames)).toBeLessThanOrEqual(5)
  })

  test('a header overwritten', () => {
    const bytes = MP3.slice()
    bytes.fill(0, middle, middle + 4)
    const { pcm, stats } = decodeAll(pool, bytes)
    expect(FRAMES - stats.frames).toBe(1)
    expect(lost(pcm, 40, 1)).toBeLessThanOrEqual(4)
  })

  test('the data of a frame overwritten', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const bytes = MP3.slice()
      bytes.set(noise(STARTS[41]! - middle - 4, seed), middle + 4)
      const { pcm, stats } = decodeAll(pool, bytes)
      expect(stats.frames).toBe(FRAMES)
      expect(pcm.length).toBe(CLEAN.pcm.length)
      expect(lost(pcm, 40, 0)).toBeLessThanOrEqual(4)
    }
  })

  test('a whole frame missing', () => {
    const { pcm, stats } = decodeAll(pool, join(MP3.subarray(0, middle), MP3.subarray(STARTS[41]!)))
    expect(stats).toMatchObject({ frames: FRAMES - 1, invalidBytes: 0 })
    expect(lost(pcm, 40, 1)).toBeLessThanOrEqual(4)
  })

  test('the end cut off', () => {
    const { pcm, stats } = decodeAll(pool, MP3.subarray(0, STARTS[60]! + 20))
    expect(stats).toMatchObject({ frames: 60, invalidBytes: 20 })
    expect(snr(CLEAN.pcm, pcm, 0, pcm.length - 50)).toBeGreaterThan(60)
  })

  test('the start cut off, within a frame', () => {
    const { stats } = decodeAll(pool, MP3.subarray(STARTS[10]! + 30))
    expect(stats.frames).toBeGreaterThanOrEqual(FRAMES - 12)
  })

  test('one bit in a hundred flipped: audio continues, on time and within bounds', () => {
    const random = noise(MP3.length * 2, 5)
    const bytes = MP3.map((byte, i) => (random[2 * i]! < 3 ? byte ^ (1 << (random[2 * i + 1]! & 7)) : byte))
    const { pcm, stats } = decodeAll(pool, bytes)
    expect(stats.frames).toBeGreaterThan(FRAMES * 0.85)
    expect(Math.abs(pcm.length - CLEAN.pcm.length)).toBeLessThan(FRAMES * 0.2 * FRAME)
  })
})

describe('arbitrary bytes', () => {
  test('a search yields between slices and finds the same result', () => {
    const mp3 = join(new Uint8Array(100_000).fill(255), MP3, new Uint8Array(100_000).fill(255))
    const parts: number[] = []
    const stream = new Mp3Stream(pool, pcm => parts.push(...pcm))
    stream.write(mp3)
    stream.end()
    let turns = 1
    while (stream.decode(1) === 'more') {
      turns++
      if (turns === 10) expect(stream.stats.invalidBytes).toBeLessThanOrEqual(20 * 2048)
    }
    expect(turns).toBeGreaterThanOrEqual(48 + FRAMES)
    expect(Int16Array.from(parts)).toEqual(CLEAN.pcm)
  })

  test('never throw and produce no audio', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), fc.integer({ min: 1, max: 700 }), (bytes, cut) => {
        const { pcm, stats } = decodeAll(pool, bytes, [cut])
        return pcm.length === 0 && stats.invalidBytes + stats.metadataBytes === bytes.length
      }),
      { numRuns: 500 },
    )
  })

  test('edited MP3 never throws, and every byte is accounted for', () => {
    const part = MP3.subarray(0, STARTS[30]!)
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
        const once = decodeAll(pool, bytes)
        const cutUp = decodeAll(pool, bytes, [cut])
        expect(cutUp.stats).toEqual(once.stats)
        expect(cutUp.pcm).toEqual(once.pcm)
      }),
      { numRuns: 60 },
    )
  })
})
