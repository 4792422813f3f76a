import { expect, test } from 'vitest'
import { Mp3Samples } from '../../../src/transcode/mp3/decoder.ts'

const floats = (...first: number[]) => {
  const all = new Float32Array(2 * 1152)
  all.set(first)
  return all
}

test('converts floats to clamped samples, and reports their peak', () => {
  const samples = new Mp3Samples()
  const pcm = samples.take(floats(0.5, -0.25, 1, -1.5, 3), 1152, 0)
  expect(Array.from(pcm.subarray(0, 6))).toEqual([16_384, -8_192, 32_767, -32_768, 32_767, 0])
  expect(pcm.length).toBe(1152)
  expect(samples.peak).toBe(3)
  expect(samples.take(floats(0.1, -0.5), 576, 0).length).toBe(576)
  expect(samples.peak).toBe(0.5)
  samples.take(floats(), 576, 0)
  expect(samples.peak).toBe(0)
})

test('mixes two channels to their mean', () => {
  const both = floats(0.5, 0.5)
  both.set([0.25, -0.5], 576)
  expect(Array.from(new Mp3Samples().take(both, 576, 576).subarray(0, 2))).toEqual([12_288, 0])
})

test.each([Number.NaN, Infinity, -Infinity])('reports an infinite peak for %d', value => {
  const samples = new Mp3Samples()
  samples.take(floats(0.1, value, 0.1), 576, 0)
  expect(samples.peak).toBe(Infinity)
})
