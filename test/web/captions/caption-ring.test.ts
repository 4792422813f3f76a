import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CaptionRing } from '../../../src/web/captions/caption-hub.ts'

test('replays missed entries in order, each utterance in its latest version', () => {
  const ring = new CaptionRing<string>(10)
  ring.push('u1', 'he')
  const { number } = ring.push('u1', 'hello')
  ring.push('u2', 'wor')
  ring.push('u2', 'world')
  expect(ring.since(0).entries.map(({ value }) => value)).toEqual(['hello', 'world'])
  expect(ring.since(number)).toMatchObject({ missed: false, entries: [{ value: 'world' }] })
})

test('reports discarded entries only to readers that missed them', () => {
  const ring = new CaptionRing<number>(2)
  for (const n of [1, 2, 3, 4]) ring.push(`u${n}`, n)
  expect(ring.since(1)).toMatchObject({ missed: true, entries: [{ value: 3 }, { value: 4 }] })
  expect(ring.since(2).missed).toBe(false)
  expect(ring.since(0).missed).toBe(false)
  ring.clear()
  expect(ring.since(0).entries).toEqual([])
  expect(() => new CaptionRing(0)).toThrow('got 0')
})

test('replay and live events together are complete for any disconnection', () => {
  const pushes = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(pushes, fc.nat(40), (keys, at) => {
      const ring = new CaptionRing<string>(100)
      const all = keys.map((key, index) => ring.push(`u${key}`, `${key}.${index}`))
      const left = Math.min(at, all.length)
      const seen = all[left - 1]?.number ?? 0
      const expected = all
        .slice(left)
        .filter(
          ({ value }, index, rest) =>
            !rest.slice(index + 1).some(later => later.value.split('.')[0] === value.split('.')[0]),
        )
      expect(ring.since(seen).entries).toEqual(expected)
      expect(ring.since(seen).missed).toBe(false)
    }),
    { seed: 11, numRuns: 300 },
  )
})
