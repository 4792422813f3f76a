import { describe, expect, test } from 'vitest'
import { bytesOf, concat } from '../../src/transcode/pcm.ts'
import { encodeWav, wavHeader } from '../../src/transcode/wav.ts'
import type { WavError } from '../../src/transcode/wav-format.ts'
import { WavReader } from '../../src/transcode/wav-reader.ts'

const SAID = Int16Array.from({ length: 4_000 }, (_, n) => Math.round(9_000 * Math.sin(n / 5)))
const FILE = Buffer.from(encodeWav(SAID, 16_000))
/** Sizes of pieces: one byte, odd ones, those of a header, everything. */
const CUTS = [1, 3, 43, 44, 45, 1_003, 100_000]

/** All samples that a reader finds in `bytes`, in pieces of `size`; each is a result if `rawRate` is given. */
function read(bytes: Uint8Array, size: number, rawRate?: number) {
  const faults: WavError[] = []
  const reader = new WavReader(rawRate, fault => faults.push(fault))
  const pieces: Int16Array[] = []
  const take = (found: ReturnType<WavReader['push']>) => {
    for (const { format, view, at, bytes } of found) pieces.push(format.decode(view, at, bytes))
  }
  for (let at = 0; at < bytes.length; at += size) {
    reader.begin()
    take(reader.push(bytes.subarray(at, at + size)))
  }
  const { complete, missingBytes } = reader
  take(reader.end())
  return { pcm: concat(pieces), reader, faults, complete, missingBytes }
}

function chunk(id: string, size: number, fill = 0x80): Buffer {
  const head = Buffer.from(`${id}....`, 'latin1')
  head.writeUInt32LE(size, 4)
  return Buffer.concat([head, Buffer.alloc(size, fill), Buffer.alloc(size % 2)])
}

/** `FILE` with other fields of the header. */
function changed(fields: Readonly<Record<number, number>>, bytes: 2 | 4 = 4): Buffer {
  const file = Buffer.from(FILE)
  for (const [at, value] of Object.entries(fields)) file.writeUIntLE(value, Number(at), bytes)
  return file
}

/** An RF64 file whose sizes are in its first chunk. */
function rf64(tail: Buffer): Buffer {
  const sizes = Buffer.alloc(28)
  sizes.writeBigUInt64LE(BigInt(SAID.byteLength), 8)
  const head = Buffer.concat([Buffer.from('RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0', 'latin1'), sizes])
  return Buffer.concat([head, changed({ 40: 0xffff_ffff }).subarray(12), tail])
}

describe('the audio of a WAV, whatever the pieces', () => {
  const twice = concat([SAID, SAID])
  test.each<[string, Buffer, Int16Array]>([
    ['plain', FILE, SAID],
    ['of unknown length', changed({ 40: 0xffff_ffff }), SAID],
    ['of length 0', changed({ 40: 0 }), SAID],
    ['of a length that counts the header', changed({ 40: SAID.byteLength + 44 }), SAID],
    ['with block align 0 and byte rate 1', changed({ 32: 0, 28: 1 }, 2), SAID],
    ['with block align 1', changed({ 32: 1 }, 2), SAID],
    ['with block align 16', changed({ 32: 16 }, 2), SAID],
    [
      'with titles before the audio',
      Buffer.concat([FILE.subarray(0, 36), chunk('LIST', 70_001), FILE.subarray(36)]),
      SAID,
    ],
    ['with 60 kB of ID3 after the audio', Buffer.concat([FILE, chunk('id3 ', 60_000)]), SAID],
    [
      'with chunks after the audio',
      Buffer.concat([FILE, chunk('LIST', 9), chunk('_PMX', 3_000), chunk('cue ', 4)]),
      SAID,
    ],
    [
      'with a chunk without padding',
      Buffer.concat([FILE, chunk('LIST', 9).subarray(0, -1), chunk('id3 ', 5_000)]),
      SAID,
    ],
    [
      'with ID3v1 after the audio',
      Buffer.concat([FILE, Buffer.from(`TAG${'\x90'.repeat(125)}`, 'latin1')]),
      SAID,
    ],
    ['with garbage after the audio', Buffer.concat([FILE, Buffer.alloc(5_000, 0x90)]), SAID],
    ['followed by another', Buffer.concat([FILE, FILE]), twice],
    [
      'with chunks, followed by another',
      Buffer.concat([FILE, chunk('LIST', 7), FILE, chunk('id3 ', 900)]),
      twice,
    ],
    ['with garbage, followed by another', Buffer.concat([FILE, Buffer.alloc(501, 0x90), FILE]), twice],
    ['of unknown length, followed by another', Buffer.concat([changed({ 40: 0xffff_ffff }), FILE]), twice],
    [
      'of a length that counts the header, followed by another',
      Buffer.concat([changed({ 40: SAID.byteLength + 44 }), FILE]),
      twice,
    ],
    ['RF64 with 64-bit sizes and chunks', rf64(chunk('id3 ', 3_000)), SAID],
  ])('%s', (_name, file, heard) => {
    for (const rawRate of [undefined, 16_000])
      for (const size of CUTS) {
        const { pcm, faults, complete } = read(file, size, rawRate)
        expect([faults, complete, pcm.length], `pieces of ${size}`).toEqual([[], true, heard.length])
        expect(pcm).toEqual(heard)
      }
  })

  test('of an empty file with chunks is empty', () => {
    const file = Buffer.concat([wavHeader(16_000, 1, 0), chunk('LIST', 100)])
    for (const size of CUTS) expect(read(file, size, 16_000).pcm).toHaveLength(0)
  })

  test('that ends early is incomplete by more than 100 ms only', () => {
    for (const [missing, complete] of [
      [2, true],
      [3_200, true],
      [3_202, false],
      [7_000, false],
    ] as const) {
      const cut = read(FILE.subarray(0, -missing), 1_000)
      expect([cut.complete, cut.missingBytes]).toEqual([complete, missing])
      expect(cut.pcm).toEqual(SAID.subarray(0, SAID.length - missing / 2))
    }
  })
})

test('headerless samples are read at the start and after a whole file, but never after chunks in the same result', () => {
  const raw = Buffer.from(bytesOf(SAID))
  for (const size of CUTS) expect(read(raw, size, 16_000).pcm).toEqual(SAID)
  const reader = new WavReader(16_000)
  const samples = (bytes: Uint8Array) => {
    reader.begin()
    return reader.push(bytes).reduce((sum, { format, bytes }) => sum + format.samples(bytes), 0)
  }
  expect([FILE, raw, chunk('LIST', 500)].map(samples)).toEqual([4_000, 4_000, 254])
  expect(read(raw, 1_000).faults).toMatchObject([{ code: 'NOT_WAV' }])
})

test('an unreadable file is a fault, and the next one is read', () => {
  const gsm = changed({ 20: 0x31, 34: 0 }, 2)
  for (const size of CUTS) {
    const { pcm, faults } = read(Buffer.concat([gsm, FILE]), size, 16_000)
    expect(faults).toMatchObject([{ code: 'UNSUPPORTED', message: expect.stringContaining('GSM 6.10') }])
    expect(pcm).toEqual(SAID)
  }
  expect(() => new WavReader().push(gsm)).toThrow('GSM 6.10')
})

test('millions of chunks or files are a fault, before they are read', () => {
  for (const bomb of [chunk('LIST', 0), FILE.subarray(0, 12), chunk('data', 0)]) {
    const file = Buffer.concat([FILE, ...Array<Buffer>(20_000).fill(bomb)])
    const { faults, pcm } = read(file, 16_384)
    expect(faults).toMatchObject([{ code: 'BAD_FORMAT', message: expect.stringContaining('chunks') }])
    expect(pcm).toEqual(SAID)
  }
})
