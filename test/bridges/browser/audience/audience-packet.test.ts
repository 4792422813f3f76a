import { expect, test } from 'vitest'
import { decodeAudience, encodeAudience } from '../../../../src/bridges/browser/audience/audience-packet.ts'
import { HEADER_BYTES } from '../../../../src/bridges/browser/audio-packet.ts'
import { ImaEncoder } from '../../../../src/transcode/adpcm.ts'
import { concat } from '../../../../src/transcode/pcm.ts'
import { sine } from '../../../support/transcode/tone.ts'

/** 600 ms in messages of 100 ms. */
function messages(pcm: Int16Array) {
  const encoder = new ImaEncoder()
  return Array.from({ length: pcm.length / 1_600 }, (_, n) =>
    encodeAudience(encoder, pcm.subarray(n * 1_600, (n + 1) * 1_600), n, n * 1_600),
  )
}

const samples = (packet: ArrayBuffer) => new Int16Array(decodeAudience(packet)!, HEADER_BYTES)

/** Signal to noise (dB). */
function quality(pcm: Int16Array, decoded: Int16Array): number {
  const power = (each: (at: number) => number) => pcm.reduce((sum, _, at) => sum + each(at) ** 2, 0)
  return 10 * Math.log10(power(at => pcm[at]!) / power(at => pcm[at]! - decoded[at]!))
}

test.each([
  [sine(300, 600), 30],
  [sine(1_000, 600, 20_000), 25],
  [sine(3_000, 600, 500), 12],
])('a quarter of the bytes of linear16 keeps the voice', (pcm, leastDb) => {
  const packets = messages(pcm)
  expect(packets[0]!.length - HEADER_BYTES).toBe(804)
  const decoded = concat(packets.map(({ buffer }) => samples(buffer)))
  expect(decoded.length).toBe(pcm.length)
  expect(quality(pcm, decoded)).toBeGreaterThan(leastDb)
})

test('a page can start with any message, and reads none that is damaged', () => {
  const pcm = sine(300, 600)
  const third = messages(pcm)[2]!
  expect(quality(pcm.subarray(3_200, 4_800), samples(third.buffer))).toBeGreaterThan(30)
  expect([...new Uint8Array(decodeAudience(third.buffer)!, 0, HEADER_BYTES)]).toEqual([
    2, 0, 0, 0, 128, 12, 0, 0,
  ])
  for (const bytes of [0, 8, 12, 100, 811, 900])
    expect(decodeAudience(new Uint8Array(bytes).buffer), `${bytes} bytes`).toBeUndefined()
})
