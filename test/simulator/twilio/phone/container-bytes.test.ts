import { expect, test } from 'vitest'
import { Mp3Maker, tone } from '../../../../src/simulator/index.ts'
import { randomFrom } from '../../../../src/simulator/random.ts'
import { containerOf } from '../../../../src/simulator/twilio/phone/server-message.ts'
import { encodeWav } from '../../../../src/transcode/wav.ts'

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

test('recognizes files by their first bytes', () => {
  expect(containerOf(base64(encodeWav(new Int16Array(400), 8000)))).toBe('WAV')
  expect(containerOf(base64(Buffer.from('ID3\u0004\0\0\0\0\0\0', 'latin1')))).toBe('ID3')
})

test.each([16_000, 24_000, 44_100] as const)(
  'recognizes an mp3 at %i Hz, whole and by its first packet',
  async rate => {
    const mp3 = (await Mp3Maker.create()).encode(tone(440, 500, rate), rate)
    expect(containerOf(base64(mp3))).toBe('MP3')
  },
)

test('does not take µ-law for a file, however quiet', () => {
  expect(containerOf(Buffer.alloc(160, 0xff).toString('base64'))).toBeUndefined()
  expect(containerOf('')).toBeUndefined()
  const random = randomFrom(7)
  for (let n = 0; n < 30_000; n++) {
    const bytes = Buffer.alloc(160)
    for (let i = 0; i < 160; i++) bytes[i] = (random() < 0.5 ? 0x80 : 0) | (0x70 + Math.floor(random() * 16))
    // As if every packet started with a header.
    bytes.set([0xff, 0xfb, 0x78])
    expect(containerOf(base64(bytes))).toBeUndefined()
  }
})
