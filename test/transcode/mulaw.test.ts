import alawmulaw from 'alawmulaw'
import { describe, expect, test } from 'vitest'
import { decodeMulaw, encodeMulaw, MULAW_SILENCE } from '../../src/transcode/g711.ts'

const CODES = Uint8Array.from({ length: 256 }, (_, code) => code)
const SAMPLES = Int16Array.from({ length: 65_536 }, (_, i) => i - 32_768)

function decoded(bytes: Uint8Array): Int16Array {
  const out = new Int16Array(bytes.length)
  decodeMulaw(bytes, out)
  return out
}

function encoded(pcm: Int16Array): Uint8Array {
  const out = new Uint8Array(pcm.length)
  encodeMulaw(pcm, out)
  return out
}

/** ITU-T G.711 §3.2: three segment bits and four step bits, inverted; bias 33 in 14 bits is 132 in 16. */
function byTheBook(code: number): number {
  const bits = ~code & 0xff
  const magnitude = ((((bits & 0x0f) << 3) + 132) << ((bits >> 4) & 7)) - 132
  return bits & 0x80 ? -magnitude : magnitude
}

describe('µ-law', () => {
  test('decodes all 256 codes as specified by G.711', () => {
    expect(decoded(CODES)).toEqual(Int16Array.from(CODES, byTheBook))
  })

  test('matches alawmulaw for every code and every sample', () => {
    expect(decoded(CODES)).toEqual(alawmulaw.mulaw.decode(CODES))
    expect(encoded(SAMPLES)).toEqual(Uint8Array.from(SAMPLES, sample => alawmulaw.mulaw.encodeSample(sample)))
  })

  test.each([
    [0xff, 0],
    [0x7f, 0],
    [0xfe, 8],
    [0x7e, -8],
    [0x80, 32_124],
    [0x00, -32_124],
    [0xef, 132],
    [0x8f, 16_764],
  ])('decodes 0x%i to %i', (code, sample) => {
    expect(decoded(Uint8Array.of(code))[0]).toBe(sample)
  })

  test.each([
    [0, 0xff],
    [32_767, 0x80],
    [-32_768, 0x00],
    [1000, 0xce],
    [-1000, 0x4e],
  ])('encodes %i', (sample, code) => {
    expect(encoded(Int16Array.of(sample))[0]).toBe(code)
  })

  test('encodes decoded samples to the same code, except for the second zero', () => {
    const again = encoded(decoded(CODES))
    expect(again).toEqual(CODES.map(code => (code === 0x7f ? 0xff : code)))
  })

  test('has an error of at most half a segment step plus half a 14-bit step', () => {
    const codes = encoded(SAMPLES)
    const back = decoded(codes)
    for (let i = 0; i < SAMPLES.length; i++) {
      const sample = Math.max(-32_635, Math.min(SAMPLES[i]!, 32_635))
      const step = 8 << ((~codes[i]! >> 4) & 7)
      expect(Math.abs(back[i]! - sample)).toBeLessThanOrEqual(step / 2 + 4)
    }
  })

  test('encodes silence as all ones', () => {
    expect(decoded(Uint8Array.of(MULAW_SILENCE))[0]).toBe(0)
    expect(encoded(Int16Array.of(0))[0]).toBe(MULAW_SILENCE)
  })

  test('writes only the input length and rejects a buffer that is too small', () => {
    const room = new Int16Array(4).fill(7)
    decodeMulaw(Uint8Array.of(0xff, 0xff), room)
    expect(room).toEqual(Int16Array.of(0, 0, 7, 7))
    expect(() => decodeMulaw(new Uint8Array(3), new Int16Array(2))).toThrow(
      '3 G.711 bytes need 3 samples of room, got 2',
    )
    expect(() => encodeMulaw(new Int16Array(3), new Uint8Array(2))).toThrow(RangeError)
  })
})
