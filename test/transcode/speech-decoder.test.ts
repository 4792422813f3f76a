import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { Mp3Maker, tone } from '../../simulator/service/scripted-answers.ts'
import { audioKind } from '../../src/transcode/container/audio-kind.ts'
import { mp3DecodersInUse, mp3Ready } from '../../src/transcode/mp3/mp3-decoder.ts'
import { bytesOf, concat } from '../../src/transcode/pcm.ts'
import { decodeSpeech, SLICE_BYTES, SpeechDecoder } from '../../src/transcode/speech-decoder.ts'
import { encodeWav, wavHeader } from '../../src/transcode/wav.ts'
import { recordings } from '../support/transcode/speech-signal.ts'

let maker: Mp3Maker
beforeAll(async () => {
  maker = await Mp3Maker.create()
  await mp3Ready()
})

const SAID = tone(700, 600)

/** The output when `pieces` are separate results. */
function heard(pieces: readonly Uint8Array[], rate?: number): Int16Array {
  const out: Int16Array[] = []
  const decoder = new SpeechDecoder(pcm => out.push(pcm.slice()), rate)
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += SLICE_BYTES)
      expect(decoder.write(piece.subarray(at, at + SLICE_BYTES), at === 0)).toBe(true)
  expect(decoder.finish()).toBe(true)
  return concat(out)
}

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const size = Math.max(1, sizes[n % sizes.length]!)
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}

describe('detection of the voice format', () => {
  test.each([
    ['mp3', () => maker.tone(700, 600), 'mp3'],
    ['mp3 at another rate', () => maker.tone(700, 600, 44_100), 'mp3'],
    ['mp3 after garbage', () => Buffer.concat([Buffer.from('garbage'), maker.tone(700, 600)]), 'mp3'],
    [
      'mp3 after a tag',
      () => Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0'), maker.tone(700, 600)]),
      'mp3',
    ],
    ['one mp3 frame', () => maker.tone(700, 600).subarray(0, 200), 'mp3'],
    ['an mp3 piece that starts within a frame', () => maker.tone(700, 600).subarray(200, 1_224), 'mp3'],
    ['a WAV file', () => encodeWav(SAID, 16_000), 'wav'],
    ['only a WAV header', () => wavHeader(16_000, 1, 100), 'wav'],
    ['samples', () => bytesOf(SAID), 'pcm'],
    ['samples of a high tone', () => bytesOf(tone(3_100, 600)), 'pcm'],
    ['samples of silence', () => new Uint8Array(2_000), 'pcm'],
    ['Ogg', () => Buffer.concat([Buffer.from('OggS\0'), bytesOf(SAID)]), undefined],
    ['too few bytes', () => bytesOf(SAID).subarray(0, 100), undefined],
    ['no bytes', () => new Uint8Array(0), undefined],
  ])('%s', (_, bytes, kind) => {
    expect(audioKind(bytes())).toBe(kind)
  })

  test('detects speech samples at any start of a piece, never as MP3', () => {
    const bytes = bytesOf(recordings())
    let missed = 0
    const pieces = Math.floor(bytes.length / 1_024)
    for (let n = 0; n < pieces; n++) {
      const kind = audioKind(bytes.subarray(n * 1_024, (n + 1) * 1_024))
      expect(kind).not.toBe('mp3')
      if (kind !== 'pcm') missed++
    }
    expect(missed / pieces).toBeLessThan(0.02)
  })

  test('does not detect text as audio', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 3_000, unit: 'grapheme-ascii' }), text => {
        expect(audioKind(Buffer.from(text))).toBeUndefined()
      }),
      { numRuns: 300 },
    )
    expect(audioKind(Buffer.from('<html>502 Bad Gateway</html>'.repeat(50)))).toBeUndefined()
    expect(audioKind(Buffer.from(JSON.stringify({ a: [1, 2, 3], b: 'x'.repeat(1_000) })))).toBeUndefined()
  })

  test('does not detect random bytes as samples', () => {
    let seed = 7
    for (let n = 0; n < 200; n++) {
      const bytes = Uint8Array.from({ length: 2_000 }, () => {
        seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
        return seed >>> 24
      })
      expect(audioKind(bytes)).not.toBe('pcm')
    }
  })
})

describe('a voice', () => {
  test('of samples is emitted unchanged for any splitting', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 8 }), sizes => {
        expect(heard(cut(bytesOf(SAID), sizes))).toEqual(SAID)
      }),
      { numRuns: 60 },
    )
  })

  test('in a WAV file is emitted unchanged for any splitting, and what follows it is never audio', () => {
    const file = Buffer.from(encodeWav(SAID, 16_000))
    const list = Buffer.from('LIST\x04\0\0\0abcd')
    const id3 = Buffer.concat([Buffer.from('id3 \x60\xea\0\0', 'latin1'), Buffer.alloc(60_000, 0x91)])
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 8 }), sizes => {
        expect(heard(cut(file, sizes))).toEqual(SAID)
        expect(heard(cut(Buffer.concat([file, list, id3]), sizes))).toEqual(SAID)
        expect(heard(cut(Buffer.concat([file, list, file, id3]), sizes))).toEqual(concat([SAID, SAID]))
      }),
      { numRuns: 60 },
    )
    expect(heard([Buffer.concat([file, id3, file])])).toEqual(concat([SAID, SAID]))
  })

  test('in consecutive WAV files with headers is joined', () => {
    const parts = cut(bytesOf(SAID), [3_200]).map(part =>
      encodeWav(new Int16Array(part.slice().buffer), 16_000),
    )
    expect(heard(parts)).toEqual(SAID)
    // The same with each file split into two results.
    expect(heard(parts.flatMap(part => cut(part, [1_000])))).toEqual(SAID)
  })

  test('continues after a WAV header without a length or with that of its own piece', () => {
    const [first, ...rest] = cut(bytesOf(SAID), [3_200]) as [Uint8Array, ...Uint8Array[]]
    for (const length of [Infinity, 0, 1_600])
      expect(heard([Buffer.concat([wavHeader(16_000, 1, length), first]), ...rest])).toEqual(SAID)
  })

  test.each([
    [8_000, 1],
    [24_000, 1],
    [48_000, 2],
  ])('in a WAV file of %i Hz and %i channels keeps its pitch and length', (rate, channels) => {
    const pcm = tone(700, 600, rate)
    const all = Int16Array.from({ length: pcm.length * channels }, (_, n) => pcm[Math.floor(n / channels)]!)
    const out = heard([Buffer.concat([wavHeader(rate, channels, pcm.length), bytesOf(all)])])
    expect(Math.abs(out.length - SAID.length)).toBeLessThan(20)
    expect(similarity(out, SAID)).toBeGreaterThan(0.99)
  })

  test('of samples at another rate is decoded correctly if the service reports the rate', () => {
    const out = heard([bytesOf(tone(700, 600, 24_000))], 24_000)
    expect(similarity(out, SAID)).toBeGreaterThan(0.99)
  })

  test('in MP3 is decoded, also in pieces and after other bytes', () => {
    const mp3 = maker.tone(700, 600)
    const whole = heard([mp3])
    expect(Math.abs(whole.length - SAID.length)).toBeLessThan(500)
    for (const size of [1, 100, 1_024]) expect(heard(cut(mp3, [size])).length).toBe(whole.length)
    expect(heard([Buffer.concat([Buffer.from('garbage before the sound'), mp3])]).length).toBeGreaterThan(
      8_000,
    )
  })

  test.each([
    ['a page of HTML', Buffer.from('<html>502 Bad Gateway</html>'.repeat(300))],
    ['a short text', Buffer.from('<html>502 Bad Gateway</html>')],
    ['Ogg', Buffer.concat([Buffer.from('OggS\0'), bytesOf(SAID)])],
    ['nothing', new Uint8Array(0)],
  ])('is silent if it is %s', async (_, bytes) => {
    expect(heard([bytes])).toHaveLength(0)
    expect(await decodeSpeech(bytes, 60)).toHaveLength(0)
  })

  test('can be written at once', () => {
    const mp3 = maker.encode(tone(700, 6_000, 48_000), 48_000, 320)
    expect(mp3.length).toBeGreaterThan(100_000)
    const out: Int16Array[] = []
    const decoder = new SpeechDecoder(pcm => out.push(pcm.slice()))
    expect(decoder.write(mp3, true) && decoder.finish()).toBe(true)
    expect(concat(out)).toEqual(heard([mp3]))
  })

  test('decoded by `decodeSpeech` is the same, and stops soon after the maximum length', async () => {
    const mp3 = maker.tone(700, 10_000)
    expect(await decodeSpeech(mp3, 60)).toEqual(heard([mp3]))
    const short = await decodeSpeech(mp3, 2)
    expect(short.length / 16_000).toBeGreaterThanOrEqual(2)
    expect(short.length / 16_000).toBeLessThan(5)
  })

  test('never throws or hangs on any bytes, and frees its decoder', () => {
    const before = mp3DecodersInUse()
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 6 }),
        fc.constantFrom('', 'RIFF\0\0\0\0WAVE', 'RIFF\x24\0\0\0WAVEfmt \x10\0\0\0', 'ID3', '\xff\xfb'),
        (pieces, start) => void heard([Buffer.from(start, 'latin1'), ...pieces]),
      ),
      { numRuns: 300 },
    )
    expect(mp3DecodersInUse()).toBe(before)
  })
})

/** Similarity of two sounds, 1 at most, with offsets up to 2 ms. */
function similarity(a: Int16Array, b: Int16Array): number {
  let best = 0
  for (let shift = -32; shift <= 32; shift++) {
    let ab = 0
    let aa = 0
    let bb = 0
    for (let n = 200; n < Math.min(a.length, b.length) - 200; n++) {
      const x = a[n + shift]!
      ab += x * b[n]!
      aa += x * x
      bb += b[n]! * b[n]!
    }
    best = Math.max(best, ab / Math.sqrt(aa * bb))
  }
  return best
}
