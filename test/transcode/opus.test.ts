import { Decoder, Encoder } from '@evan/opus'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loudness, rms } from '../../src/transcode/level.ts'
import { OpusDecoder, OpusEncoder } from '../../src/transcode/opus.ts'
import { concat, FRAME_SAMPLES, SILENT_FRAME } from '../../src/transcode/pcm.ts'
import { sine } from '../support/transcode/tone.ts'

/** Packets of `ms` from a remote client at 48 kHz, like Discord's. */
function farPackets(hz: number, ms: number, channels: 1 | 2, packets = 50): Uint8Array[] {
  const encoder = new Encoder({ channels, sample_rate: 48_000, application: 'voip' })
  encoder.expert_frame_duration = 'arg'
  const mono = sine(hz, ms * packets, 8_000, 48_000)
  const samples = (ms * 48_000) / 1000
  return Array.from({ length: packets }, (_, n) => {
    const block = new Int16Array(samples * channels)
    for (let at = 0; at < samples; at++)
      for (let channel = 0; channel < channels; channel++)
        block[at * channels + channel] = mono[n * samples + at]!
    return encoder.encode(block).slice()
  })
}

function decodedBy(decoder: OpusDecoder, packets: readonly Uint8Array[]): Int16Array {
  return concat(packets.map(packet => decoder.decode(packet)))
}

const settled = (pcm: Int16Array) => pcm.subarray(4_000)

describe('the decoder', () => {
  test.each([10, 20, 40, 60] as const)(
    'converts packets of %i ms to 16 kHz mono, from mono and stereo',
    ms => {
      for (const channels of [1, 2] as const) {
        const pcm = decodedBy(new OpusDecoder(), farPackets(500, ms, channels))
        expect(pcm.length).toBe(50 * ms * 16)
        expect(loudness(settled(pcm), 500, 16_000)).toBeGreaterThan(6_500)
        expect(loudness(settled(pcm), 1_500, 16_000)).toBeLessThan(200)
      }
    },
  )

  test('produces no aliases of audio above 8 kHz', () => {
    const encoder = new Encoder({ channels: 1, sample_rate: 48_000, application: 'audio' })
    encoder.bitrate = 256_000
    const tone = sine(11_000, 1_000, 12_000, 48_000)
    const packets = Array.from({ length: 50 }, (_, n) =>
      encoder.encode(tone.subarray(n * 960, n * 960 + 960)),
    )
    expect(rms(settled(decodedBy(new OpusDecoder(), packets)))).toBeLessThan(10)
  })

  test('conceals a loss with a fading voice, frame by frame', () => {
    const decoder = new OpusDecoder()
    decodedBy(decoder, farPackets(300, 20, 2))
    const levels = Array.from({ length: 5 }, () => {
      const pcm = decoder.conceal()
      expect(pcm.length).toBe(FRAME_SAMPLES)
      return rms(pcm)
    })
    expect(levels[0]).toBeGreaterThan(2_000)
    for (let n = 1; n < 5; n++) expect(levels[n]).toBeLessThan(levels[n - 1]!)
  })

  test('conceals nothing before the first packet and after a reset', () => {
    const decoder = new OpusDecoder()
    expect(decoder.conceal()).toHaveLength(0)
    decodedBy(decoder, farPackets(300, 20, 1, 3))
    decoder.reset()
    expect(decoder.conceal()).toHaveLength(0)
  })

  test('returns newly allocated memory', () => {
    const decoder = new OpusDecoder()
    const [first, second] = farPackets(500, 20, 1, 2)
    const pcm = decoder.decode(first!)
    const before = pcm.slice()
    new OpusDecoder().decode(second!)
    decoder.decode(second!)
    expect(pcm).toEqual(before)
  })

  test('throws for garbage and continues with the next packet', () => {
    const garbage = fc.uint8Array({ maxLength: 300 })
    const decoder = new OpusDecoder()
    fc.assert(
      fc.property(garbage, packet => {
        try {
          expect(decoder.decode(packet).length % 40).toBe(0)
        } catch (error) {
          expect(String(error)).toMatch(/opus/i)
        }
      }),
      { numRuns: 500, seed: 48 },
    )
    const pcm = decodedBy(decoder, farPackets(500, 20, 1))
    expect(loudness(settled(pcm), 500, 16_000)).toBeGreaterThan(6_500)
  })
})

describe('the encoder', () => {
  test.each([1, 2] as const)(
    'encodes %i channel(s) so that a 48 kHz stereo client plays them correctly',
    channels => {
      const encoder = new OpusEncoder({ channels })
      const far = new Decoder({ channels: 2, sample_rate: 48_000 })
      const tone = sine(500, 1_000)
      const left: number[] = []
      let bytes = 0
      for (let at = 0; at < tone.length; at += FRAME_SAMPLES) {
        const packet = encoder.encode(tone.subarray(at, at + FRAME_SAMPLES))
        bytes += packet.length
        const out = far.decode(packet)
        const pcm = new Int16Array(out.buffer, out.byteOffset, out.byteLength / 2)
        expect(pcm.length).toBe(1_920)
        for (let n = 0; n < pcm.length; n += 2) left.push(pcm[n]!)
      }
      const heard = Int16Array.from(left).subarray(12_000)
      expect(loudness(heard, 500, 48_000)).toBeGreaterThan(7_500)
      expect(loudness(heard, 500, 48_000)).toBeLessThan(8_500)
      expect(loudness(heard, 1_500, 48_000)).toBeLessThan(100)
      expect((bytes * 8) / 1_000).toBeLessThan(60)
    },
  )

  test('encodes silence as silence', () => {
    const encoder = new OpusEncoder({ channels: 2 })
    const decoder = new OpusDecoder()
    const pcm = concat(Array.from({ length: 20 }, () => decoder.decode(encoder.encode(SILENT_FRAME))))
    expect(rms(pcm)).toBeLessThan(2)
  })

  test('rejects input that libopus does not accept', () => {
    expect(() => new OpusEncoder({ bitrate: 100 })).toThrow('6000 to 510000')
    expect(() => new OpusEncoder({ complexity: 11 })).toThrow('from 0 to 10')
    expect(() => new OpusEncoder({ channels: 3 as 2 })).toThrow('1 or 2')
    expect(() => new OpusEncoder().encode(new Int16Array(160))).toThrow('320 samples')
  })
})
