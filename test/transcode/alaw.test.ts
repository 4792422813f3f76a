import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { decodeAlaw, encodeAlaw } from '../../src/transcode/g711.ts'

const CODES = Uint8Array.from({ length: 256 }, (_, code) => code)

function decoded(bytes: Uint8Array): Int16Array {
  const out = new Int16Array(bytes.length)
  decodeAlaw(bytes, out)
  return out
}

/** ITU-T G.711 table 1a, even bits inverted: the value in the middle of each interval, in 16 bits. */
function byTheBook(code: number): number {
  const bits = code ^ 0x55
  const segment = (bits >> 4) & 7
  const step = ((bits & 0x0f) << 4) + 8
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1)
  return bits & 0x80 ? magnitude : -magnitude
}

test('decodes all 256 codes as specified by G.711', () => {
  expect(decoded(CODES)).toEqual(Int16Array.from(CODES, byTheBook))
  const digest = createHash('sha256')
    .update(Buffer.from(decoded(CODES).buffer))
    .digest('hex')
  expect(digest).toBe('e04788d110e58ff8c70c93b8480190d973e3b67876b6119abbaec766cc75c174')
})

test('encodes decoded samples to the same code', () => {
  const out = new Uint8Array(256)
  encodeAlaw(decoded(CODES), out)
  expect(out).toEqual(CODES)
})

test('keeps every sample within half a step of its segment', () => {
  const sample = new Int16Array(1)
  const byte = new Uint8Array(1)
  const wrong: number[] = []
  for (let value = -32_768; value <= 32_767; value++) {
    sample[0] = value
    encodeAlaw(sample, byte)
    if (Math.abs(byTheBook(byte[0]!) - value) > Math.max(16, Math.abs(value) / 16)) wrong.push(value)
  }
  expect(wrong).toEqual([])
})
