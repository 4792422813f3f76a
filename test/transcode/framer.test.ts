import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Framer } from '../../src/transcode/pcm.ts'

function collecting(size: number): { framer: Framer; frames: number[][] } {
  const frames: number[][] = []
  return { framer: new Framer(size, frame => frames.push([...frame])), frames }
}

describe('Framer', () => {
  test('emits the same frames for any splitting of the samples', () => {
    const cuts = fc.array(fc.integer({ min: 0, max: 25 }), { maxLength: 40 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), cuts, (size, lengths) => {
        const { framer, frames } = collecting(size)
        let next = 0
        for (const length of lengths) framer.write(Int16Array.from({ length }, () => ++next))
        expect(frames.length).toBe(Math.floor(next / size))
        framer.end()
        const all = frames.flat()
        expect(all.slice(0, next)).toEqual(Array.from({ length: next }, (_, i) => i + 1))
        expect(all.slice(next).every(sample => sample === 0)).toBe(true)
        expect(frames.every(frame => frame.length === size)).toBe(true)
        expect(frames.length).toBe(Math.ceil(next / size))
      }),
    )
  })

  test('ends once, and restarts after a reset', () => {
    const { framer, frames } = collecting(3)
    framer.write(Int16Array.of(1, 2, 3, 4))
    framer.end()
    framer.end()
    framer.write(Int16Array.of(5, 6))
    framer.reset()
    framer.write(Int16Array.of(7, 8, 9))
    expect(frames).toEqual([
      [1, 2, 3],
      [4, 0, 0],
      [7, 8, 9],
    ])
  })

  test.each([0, -1, 1.5, Number.NaN])('rejects frames of %d samples', size => {
    expect(() => new Framer(size, () => {})).toThrow(RangeError)
  })
})
