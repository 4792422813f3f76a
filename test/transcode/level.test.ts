import { describe, expect, test } from 'vitest'
import { dbfs, loudness, peak, rms } from '../../src/transcode/level.ts'
import { sine } from '../support/transcode/signal.ts'

describe('level', () => {
  test('of a full-scale sine is 0 dBFS peak and −3.01 dBFS RMS', () => {
    const tone = sine(1000, 16_000, 16_000, 32_767, 0)
    expect(dbfs(peak(tone))).toBeCloseTo(0, 1)
    expect(dbfs(rms(tone))).toBeCloseTo(-3.01, 2)
  })

  test('is defined for silence and empty input', () => {
    expect(rms(new Int16Array(10))).toBe(0)
    expect(rms(new Int16Array(0))).toBe(0)
    expect(peak(new Int16Array(0))).toBe(0)
    expect(dbfs(0)).toBe(-Infinity)
    expect(() => dbfs(-1)).toThrow(RangeError)
    expect(() => dbfs(Number.NaN)).toThrow('got NaN')
  })

  test('of the lowest sample is full scale', () => {
    expect(peak(Int16Array.of(-32_768))).toBe(32_768)
    expect(dbfs(32_768)).toBe(0)
  })
})

describe('loudness', () => {
  test('separates a tone from its neighbors', () => {
    const tone = sine(1000, 16_000, 1600, 10_000)
    expect(loudness(tone, 1000, 16_000)).toBeCloseTo(10_000, -1)
    expect(loudness(tone, 1300, 16_000)).toBeLessThan(50)
    expect(loudness(new Int16Array(0), 1000, 16_000)).toBe(0)
  })

  test.each([0, -5, 8000, Number.NaN])('rejects a tone of %d Hz at 16 kHz', hz => {
    expect(() => loudness(new Int16Array(10), hz, 16_000)).toThrow(RangeError)
  })
})
