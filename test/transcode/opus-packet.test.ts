import { Decoder } from '@evan/opus'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OPUS_CLOCK_RATE, opusSamples } from '../../src/transcode/opus-packet.ts'

/** Length of a packet according to libopus (samples at 48 kHz); 0 if it rejects it. */
function decodedSamples(packet: Uint8Array): number {
  try {
    return new Decoder({ channels: 1, sample_rate: 48_000 }).decode(packet).byteLength / 2
  } catch {
    return 0
  }
}

test.each([
  ['silence from Discord', [0xf8, 0xff, 0xfe], 20],
  ['two frames of 20 ms', [0xf9, 1, 2], 40],
  ['three frames of 20 ms', [0xfb, 3, 0, 0, 0], 60],
  ['60 ms of SILK', [0x18, 0], 60],
  ['2.5 ms of CELT', [0xe0, 0], 2.5],
  ['only a header, for a frame that was not sent', [0xf8], 20],
])('%s', (_name, bytes, ms) => {
  expect(opusSamples(Uint8Array.from(bytes))).toBe((ms * OPUS_CLOCK_RATE) / 1000)
})

test.each([
  ['no bytes', new Uint8Array(0)],
  ['two frames of equal size in an odd number of bytes', Uint8Array.of(0xf9, 1)],
  ['no frames', Uint8Array.of(0xfb, 0)],
  ['49 frames of 2.5 ms', Uint8Array.of(0xe3, 49)],
  ['seven frames of 20 ms', Uint8Array.of(0xfb, 7, 0, 0, 0, 0, 0, 0, 0)],
  ['a frame of more than 1275 bytes', new Uint8Array(1_279).fill(0xf8)],
])('rejects %s', (_name, packet) => expect(opusSamples(packet)).toBe(0))

test('has the length reported by libopus, for any bytes', () => {
  const heads = fc.uint8Array({ minLength: 1, maxLength: 60 })
  const long = fc.tuple(fc.nat(255), fc.integer({ min: 60, max: 1_400 }))
  fc.assert(
    fc.property(fc.oneof(heads, long), made => {
      const packet = made instanceof Uint8Array ? made : new Uint8Array(made[1]).fill(made[0])
      const decoded = decodedSamples(packet)
      const samples = opusSamples(packet)
      if (decoded > 0) expect(samples).toBe(decoded)
      // A packet lasts at most 120 ms, in steps of 2.5 ms.
      expect(samples <= 5_760 && samples % 120 === 0).toBe(true)
    }),
    { numRuns: 2_000, seed: 6716 },
  )
})
