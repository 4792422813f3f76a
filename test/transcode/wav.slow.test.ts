import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOf } from '../../src/transcode/pcm.ts'
import { encodeWav, mono, readWav, WavSpeech, wavHeader } from '../../src/transcode/wav.ts'
import { WavError } from '../../src/transcode/wav-format.ts'
import { pipe, which } from '../support/transcode/command.ts'
import { snr, voice } from '../support/transcode/signal.ts'

const ascii = (text: string) => new TextEncoder().encode(text)
const u16 = (value: number) => Uint8Array.of(value & 255, (value >> 8) & 255)
const u32 = (value: number) =>
  Uint8Array.of(value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >>> 24) & 255)

function join(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap(part => [...part]))
}

function chunk(id: string, body: Uint8Array, size = body.length): Uint8Array {
  return join(ascii(id), u32(size), body, new Uint8Array(body.length % 2))
}

function format(coding: number, channels: number, bits: number, rate = 8000): Uint8Array {
  const align = (channels * bits) / 8
  return chunk('fmt ', join(u16(coding), u16(channels), u32(rate), u32(rate * align), u16(align), u16(bits)))
}

/** A format chunk of ADPCM in blocks of `align` bytes. */
function adpcm(coding: number, align: number): Uint8Array {
  return chunk('fmt ', join(u16(coding), u16(1), u32(8000), u32(4055), u16(align), u16(4)))
}

function riff(...chunks: Uint8Array[]): Uint8Array {
  const body = join(ascii('WAVE'), ...chunks)
  return join(ascii('RIFF'), u32(body.length), body)
}

function codeOf(bytes: Uint8Array): string {
  try {
    readWav(bytes)
    return 'read'
  } catch (error) {
    if (error instanceof WavError) return error.code
    throw error
  }
}

describe('readWav', () => {
  test('reads the output of `encodeWav` exactly', () => {
    const samples = fc.array(fc.integer({ min: -32_768, max: 32_767 }), { maxLength: 200 })
    fc.assert(
      fc.property(samples, fc.integer({ min: 1, max: 400_000 }), (values, rate) => {
        const pcm = Int16Array.from(values)
        expect(readWav(encodeWav(pcm, rate))).toEqual({ rate, channels: 1, pcm })
      }),
    )
  })

  test.each([
    ['8 bits, unsigned', format(1, 1, 8), Uint8Array.of(0, 128, 255, 129), [-32_768, 0, 32_512, 256]],
    ['16 bits', format(1, 1, 16), join(u16(0x7fff), u16(0x8000)), [32_767, -32_768]],
    [
      '24 bits, rounded',
      format(1, 1, 24),
      Uint8Array.of(0x80, 1, 0, 0x7f, 1, 0, 0, 0, 0x80, 255, 255, 127),
      [2, 1, -32_768, 32_767],
    ],
    [
      '32 bits',
      format(1, 1, 32),
      join(u32(0x7fff_ffff), u32(0x8000_0000), u32(0x0001_8000)),
      [32_767, -32_768, 2],
    ],
    [
      'float',
      format(3, 1, 32),
      bytes32(0.5, -1, 2, Number.NaN, Infinity),
      [16_384, -32_768, 32_767, 0, 32_767],
    ],
    ['double', format(3, 1, 64), new Uint8Array(Float64Array.of(-0.25).buffer), [-8192]],
    ['12 bits in the high bits of two bytes', format(1, 1, 12), u16(0x7ff0), [0x7ff0]],
    ['64 bits', format(1, 1, 64), join(u32(7), u32(0x0001_8000)), [2]],
    ['µ-law', format(7, 1, 8), Uint8Array.of(0xff, 0x80, 0x00), [0, 32_124, -32_124]],
    ['A-law', format(6, 1, 8), Uint8Array.of(0xd5, 0x55, 0xaa), [8, -8, 32_256]],
    [
      'extensible',
      chunk(
        'fmt ',
        join(
          u16(0xfffe),
          u16(1),
          u32(8000),
          u32(16_000),
          u16(2),
          u16(16),
          u16(22),
          u16(16),
          u32(4),
          u16(1),
          new Uint8Array(14),
        ),
      ),
      u16(77),
      [77],
    ],
  ])('reads %s', (_, header, data, pcm) => {
    expect(readWav(riff(header, chunk('data', data)))).toEqual({
      rate: 8000,
      channels: 1,
      pcm: Int16Array.from(pcm),
    })
  })

  test('skips unknown chunks with their padding', () => {
    const file = riff(
      chunk('LIST', ascii('odd')),
      format(1, 2, 16),
      chunk('fact', u32(1)),
      chunk('data', join(u16(1), u16(2))),
    )
    expect(readWav(file)).toEqual({ rate: 8000, channels: 2, pcm: Int16Array.of(1, 2) })
  })

  test.each([0, 0xffff_ffff, 0x7fff_ffff, 1000])(
    'reads the available samples when the size says %i',
    size => {
      const file = riff(format(1, 1, 16), join(ascii('data'), u32(size), u16(5), u16(6), Uint8Array.of(7)))
      expect(readWav(file).pcm).toEqual(Int16Array.of(5, 6))
    },
  )

  test('accepts a size of 0 if complete chunks follow', () => {
    expect(
      readWav(riff(format(1, 1, 16), chunk('data', u16(0).subarray(2)), chunk('LIST', u32(3)))).pcm.length,
    ).toBe(0)
  })

  test('reads at any offset in memory', () => {
    const file = encodeWav(Int16Array.of(1, -2, 3), 8000)
    const shifted = new Uint8Array(file.length + 1)
    shifted.set(file, 1)
    expect(readWav(shifted.subarray(1)).pcm).toEqual(Int16Array.of(1, -2, 3))
  })

  test.each([
    ['NOT_WAV', new Uint8Array(0)],
    ['NOT_WAV', ascii('{"error":"rate limited"}')],
    ['NOT_WAV', join(ascii('RIFF'), u32(4), ascii('AVI '))],
    ['NO_DATA', riff()],
    ['NO_DATA', riff(format(1, 1, 16))],
    ['NO_FORMAT', riff(chunk('data', u16(1)))],
    ['BAD_FORMAT', riff(chunk('fmt ', u32(1)))],
    ['BAD_FORMAT', riff(format(1, 0, 16), chunk('data', u16(1)))],
    ['BAD_FORMAT', riff(format(1, 1, 16, 0), chunk('data', u16(1)))],
    ['BAD_FORMAT', riff(format(0xfffe, 1, 16), chunk('data', u16(1)))],
    ['UNSUPPORTED', riff(format(0x55, 1, 0), chunk('data', u16(1)))],
    ['UNSUPPORTED', riff(format(1, 1, 40), chunk('data', u16(1)))],
    ['UNSUPPORTED', riff(format(3, 1, 16), chunk('data', u16(1)))],
    ['UNSUPPORTED', riff(format(1, 65, 16), chunk('data', u16(1)))],
    ['BAD_FORMAT', riff(adpcm(2, 6), chunk('data', u16(1)))],
    ['BAD_FORMAT', riff(adpcm(17, 20_000), chunk('data', u16(1)))],
  ])('rejects with %s', (code, bytes) => {
    expect(codeOf(bytes)).toBe(code)
  })

  test('throws only its own errors and never hangs, for any bytes', () => {
    const good = riff(chunk('LIST', ascii('odd')), format(1, 2, 24), chunk('data', new Uint8Array(60)))
    const damaged = fc
      .array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 12 })
      .chain(edits => fc.record({ edits: fc.constant(edits), length: fc.nat(good.length) }))
      .map(({ edits, length }) => {
        const bytes = good.slice()
        for (const [at, value] of edits) bytes[at] = value
        return bytes.subarray(0, length)
      })
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), damaged), bytes => codeOf(bytes) !== ''),
      {
        numRuns: 2000,
      },
    )
  })

  test.skipIf(!which('sox'))('reads the output of sox', () => {
    const pcm = voice(16_000, 0.2)
    for (const args of [
      ['-b', '8'],
      ['-b', '24'],
      ['-b', '32'],
      ['-e', 'float', '-b', '32'],
      ['-c', '2'],
      ['-e', 'mu-law'],
    ]) {
      const wav = pipe(
        'sox',
        [
          '-D',
          '-t',
          'raw',
          '-r',
          '16000',
          '-e',
          'signed',
          '-b',
          '16',
          '-c',
          '1',
          '-',
          ...args,
          '-t',
          'wav',
          '-',
        ],
        bytesOf(pcm),
      )
      const read = mono(readWav(wav))
      expect(read.length, args.join(' ')).toBe(pcm.length)
      expect(snr(pcm, read), args.join(' ')).toBeGreaterThan(30)
    }
  })
})

describe('mono', () => {
  test('is the mean of the channels, and the samples themselves if there is one', () => {
    const pcm = Int16Array.of(10, 20, -32_768, -32_768, 32_767, 32_767)
    expect(mono({ rate: 8000, channels: 2, pcm })).toEqual(Int16Array.of(15, -32_768, 32_767))
    expect(mono({ rate: 8000, channels: 1, pcm })).toBe(pcm)
  })
})

describe('WavSpeech', () => {
  test('returns mono at the rate of the file; only a whole file is complete', () => {
    const pcm = Int16Array.from({ length: 8_000 }, (_, n) => n)
    const file = encodeWav(pcm, 22_050)
    const whole = new WavSpeech()
    expect([...whole.push(file.subarray(0, 333)), ...whole.push(file.subarray(333)), ...whole.end()]).toEqual(
      [...pcm],
    )
    expect([whole.rate, whole.complete]).toEqual([22_050, true])
    const half = new WavSpeech()
    half.push(file.subarray(0, 500))
    expect(half.complete).toBe(false)
    expect(new WavSpeech().complete).toBe(false)
    const changed = new WavSpeech()
    changed.push(file)
    expect(() => changed.push(encodeWav(pcm, 8_000))).toThrow('rate')
    expect(() => new WavSpeech().push(new Uint8Array(50))).toThrow(WavError)
  })
})

describe('wavHeader', () => {
  test('of a stream of unknown length is read to the end', () => {
    const file = join(wavHeader(16_000, 2, Infinity), u16(1), u16(2), u16(3), u16(4))
    expect(readWav(file)).toEqual({ rate: 16_000, channels: 2, pcm: Int16Array.of(1, 2, 3, 4) })
  })

  test.each([
    [0, 1, 1],
    [8000.5, 1, 1],
    [8000, 0, 1],
    [8000, 1, -1],
    [8000, 1, 2 ** 31],
    [8000, 1, Number.NaN],
  ])('rejects %d Hz, %d channels, %d samples', (rate, channels, samples) => {
    expect(() => wavHeader(rate, channels, samples)).toThrow(RangeError)
  })
})

function bytes32(...values: number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(values).buffer)
}
