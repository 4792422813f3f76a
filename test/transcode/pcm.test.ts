import { expect, test } from 'vitest'
import {
  assertFrames,
  bytesOf,
  durationMs,
  FRAME_BYTES,
  FRAME_SAMPLES,
  samplesOf,
} from '../../src/transcode/pcm.ts'

test('a frame is 20 ms at 16 kHz', () => {
  expect([FRAME_SAMPLES, FRAME_BYTES, durationMs(FRAME_SAMPLES)]).toEqual([320, 640, 20])
  expect(durationMs(80, 8000)).toBe(10)
})

test('samples and bytes are views of each other, and copies only if alignment requires it', () => {
  const pcm = Int16Array.of(1, -2, 300)
  expect(samplesOf(bytesOf(pcm)).buffer).toBe(pcm.buffer)
  const odd = new Uint8Array(8)
  odd.set(bytesOf(pcm), 1)
  expect(samplesOf(odd.subarray(1))).toEqual(pcm)
  expect(samplesOf(odd.subarray(1, 6))).toEqual(Int16Array.of(1, -2))
})

test('frames are complete', () => {
  expect(() => assertFrames(new Int16Array(640))).not.toThrow()
  expect(() => assertFrames(new Int16Array(0))).toThrow(RangeError)
  expect(() => assertFrames(new Int16Array(321))).toThrow('got 321')
})
