import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mixInto, scale } from '../../src/transcode/pcm.ts'

const samples = fc.array(fc.integer({ min: -32_768, max: 32_767 }), { minLength: 1, maxLength: 30 })
const gain = fc.double({ min: 0, max: 4, noNaN: true })

describe('mixInto', () => {
  test('adds with a straight ramp and saturates', () => {
    fc.assert(
      fc.property(samples, gain, gain, (values, from, to) => {
        const target = Int16Array.from(values)
        mixInto(target, Int16Array.from(values).reverse(), from, to)
        values.forEach((value, i) => {
          const exact = value + values[values.length - 1 - i]! * (from + ((to - from) * i) / values.length)
          expect(Math.abs(target[i]! - Math.max(-32_768, Math.min(32_767, exact)))).toBeLessThanOrEqual(
            0.5 + 1e-6,
          )
        })
      }),
    )
  })

  test('has no step between blocks that pass on the gain', () => {
    const whole = new Int16Array(40)
    const halves = new Int16Array(40)
    const source = new Int16Array(40).fill(10_000)
    mixInto(whole, source, 0, 1)
    mixInto(halves.subarray(0, 20), source.subarray(20), 0, 0.5)
    mixInto(halves.subarray(20), source.subarray(20), 0.5, 1)
    expect(halves).toEqual(whole)
  })

  test('rejects blocks of different lengths and gains that are not numbers', () => {
    expect(() => mixInto(new Int16Array(3), new Int16Array(2), 1, 1)).toThrow('got 2 samples into 3')
    expect(() => mixInto(new Int16Array(3), new Int16Array(3), Number.NaN, 1)).toThrow(RangeError)
    expect(() => scale(new Int16Array(3), 1, Infinity)).toThrow('got 1 to Infinity')
  })
})

describe('scale', () => {
  test('multiplies in place with saturation; gain 1 changes nothing', () => {
    const pcm = Int16Array.of(100, -100, 30_000, -30_000)
    scale(pcm, 1, 1)
    expect(pcm).toEqual(Int16Array.of(100, -100, 30_000, -30_000))
    scale(pcm, 2, 2)
    expect(pcm).toEqual(Int16Array.of(200, -200, 32_767, -32_768))
    scale(pcm, 0, 0)
    expect(pcm).toEqual(new Int16Array(4))
  })

  test('accepts an empty block', () => {
    expect(() => scale(new Int16Array(0), 0, 1)).not.toThrow()
  })
})
