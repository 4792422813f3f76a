import { expect, test } from 'vitest'
import { encodeWav } from '../../../src/transcode/wav.ts'
import { WavReader } from '../../../src/transcode/wav-reader.ts'

test('reads a WAV in any fragments; rejects everything else', () => {
  const pcm = Int16Array.from({ length: 1_000 }, (_, n) => n)
  const file = Buffer.from(encodeWav(pcm, 22_050))
  // Some writers do not know the length yet; some put titles before or after the samples.
  const streamed = Buffer.from(file)
  streamed.writeUInt32LE(0xffff_ffff, 40)
  const titled = Buffer.concat([
    file.subarray(0, 36),
    Buffer.from('LIST\x04\0\0\0INFO', 'latin1'),
    file.subarray(36),
  ])
  const tailed = Buffer.concat([file, Buffer.from('LIST\x04\0\0\0INFO', 'latin1')])
  for (const wav of [file, streamed, titled, tailed])
    for (const size of [1, 3, 44, 45, 1_000, 5_000]) {
      const reader = new WavReader()
      const samples: number[] = []
      for (let at = 0; at < wav.length; at += size) samples.push(...reader.push(wav.subarray(at, at + size)))
      expect(reader.rate).toBe(22_050)
      expect(samples).toEqual(Array.from(pcm))
      expect(reader.complete).toBe(true)
    }
  const half = new WavReader()
  half.push(file.subarray(0, 500))
  expect(half.complete).toBe(false)
  const stereo = Buffer.from(file)
  stereo.writeUInt16LE(2, 22)
  stereo.writeUInt16LE(4, 32)
  expect(new WavReader().push(stereo).slice(0, 3)).toEqual(Int16Array.from([1, 3, 5]))
  expect(() => new WavReader().push(Buffer.alloc(50))).toThrow(RangeError)
})

test('waits for an incomplete header, but not for ever, and takes only 16-bit samples', () => {
  const file = Buffer.from(encodeWav(new Int16Array(10), 8_000))
  const reader = new WavReader()
  expect(reader.push(file.subarray(0, 30))).toHaveLength(0)
  expect([reader.rate, reader.complete]).toEqual([0, false])
  expect(reader.push(file.subarray(30))).toHaveLength(10)
  const titled = Buffer.concat([
    file.subarray(0, 36),
    Buffer.from('LIST\xff\xff\x0f\0', 'latin1'),
    Buffer.alloc(70_000),
  ])
  expect(() => new WavReader().push(titled)).toThrow(RangeError)
  const bytes = Buffer.from(file)
  bytes.writeUInt16LE(1, 32)
  bytes.writeUInt16LE(8, 34)
  expect(() => new WavReader().push(bytes)).toThrow('16-bit')
})
