import { describe, expect, test } from 'vitest'
import type { LineCodec } from '../../../../src/bridges/phone/carrier.ts'
import { sampleCodec } from '../../../../src/bridges/phone/leg/line-codec.ts'

const SAMPLES = Int16Array.of(0, 1, -1, 255, 256, -256, 0x1234, 32_767, -32_768)

describe.each(['l16', 'l16be'] as const)('%s', name => {
  const codec = sampleCodec(name)

  test('returns every sample unchanged', () => {
    const bytes = new Uint8Array(SAMPLES.length * 2)
    codec.encode(SAMPLES, bytes)
    const out = new Int16Array(SAMPLES.length)
    codec.decode(bytes, out)
    expect(out).toEqual(SAMPLES)
  })

  test('reads bytes at an odd offset, and drops an odd last one', () => {
    const bytes = new Uint8Array(SAMPLES.length * 2 + 2)
    codec.encode(SAMPLES, bytes.subarray(1))
    const out = new Int16Array(SAMPLES.length)
    codec.decode(bytes.subarray(1), out)
    expect(out).toEqual(SAMPLES)
  })
})

test('has the byte orders of RFC 3551 and of WAV', () => {
  const bytes = new Uint8Array(2)
  const encoded = (name: LineCodec) => {
    sampleCodec(name).encode(Int16Array.of(0x1234), bytes)
    return [...bytes]
  }
  expect([encoded('l16be'), encoded('l16')]).toEqual([
    [0x12, 0x34],
    [0x34, 0x12],
  ])
})
