import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LinkCounters } from '../../../../src/bridges/discord/counters.ts'
import { ReorderBuffer } from '../../../../src/bridges/discord/voice/reorder-buffer.ts'

/** A window whose packets contain their own position, so that the output can be checked. */
function stage(size?: number) {
  const counters = new LinkCounters()
  const out: { place: number; lost: number; anew: boolean }[] = []
  const window = new ReorderBuffer(
    (timestamp, opus, lost, anew) => {
      expect(timestamp).toBe((opus.at(0)! * 256 + opus.at(1)!) * 960)
      out.push({ place: opus[0]! * 256 + opus[1]!, lost, anew })
    },
    counters,
    size,
  )
  const push = (place: number, first = 0) =>
    window.push((first + place) & 0xffff, place * 960, Uint8Array.of(place >> 8, place & 255))
  return { counters, out, window, push, places: () => out.map(({ place }) => place) }
}

describe('packets', () => {
  test('in order pass immediately', () => {
    const { push, places, window } = stage()
    for (const place of [0, 1, 2]) {
      push(place)
      expect(places().at(-1)).toBe(place)
    }
    expect(window.holding).toBe(false)
  })

  test('that are early wait for their predecessor', () => {
    const { push, places, counters } = stage()
    for (const place of [0, 2, 1, 3]) push(place)
    expect(places()).toEqual([0, 1, 2, 3])
    expect(counters).toMatchObject({ reordered: 1, lost: 0, late: 0, duplicate: 0 })
  })

  test('pass without their predecessor once three are ahead of it, and it is then too late', () => {
    const { push, out, counters } = stage()
    for (const place of [0, 2, 3, 4, 1]) push(place)
    expect(out.map(({ place, lost }) => [place, lost])).toEqual([
      [0, 0],
      [2, 1],
      [3, 0],
      [4, 0],
    ])
    expect(counters).toMatchObject({ lost: 1, late: 1, duplicate: 0 })
  })

  test('that are repeated pass once, held or passed', () => {
    const { push, places, counters } = stage()
    for (const place of [0, 0, 2, 2, 1, 1, 2]) push(place)
    expect(places()).toEqual([0, 1, 2])
    expect(counters).toMatchObject({ duplicate: 4, late: 0 })
  })

  test('that are held pass on a flush', () => {
    const { push, places, window } = stage()
    for (const place of [0, 2]) push(place)
    expect(window.holding).toBe(true)
    window.flush()
    expect(places()).toEqual([0, 2])
  })

  test('far from the others start a new stream, regardless of held ones', () => {
    const { push, out, counters } = stage()
    for (const place of [0, 2, 2_000, 2_001]) push(place)
    expect(out.map(({ place, anew }) => [place, anew])).toEqual([
      [0, true],
      [2, false],
      [2_000, true],
      [2_001, false],
    ])
    expect(counters.restarts).toBe(1)
  })

  test('whose numbering was set back slightly are accepted eventually', () => {
    const { push, places, counters } = stage()
    for (let place = 200; place < 210; place++) push(place)
    for (let place = 100; place < 160; place++) push(place)
    expect(counters.restarts).toBe(1)
    expect(places().at(-1)).toBe(159)
    expect(places().length).toBeGreaterThanOrEqual(20)
  })
})

test('a window rejects a size without slots', () => {
  expect(() => stage(0)).toThrow('1 to 4')
  expect(() => stage(5)).toThrow('1 to 4')
})

/** A stream with lost, repeated and moved packets, by up to two positions, which starts close to the wrap-around of numbers. */
const network = fc.record({
  first: fc.integer({ min: 65_000, max: 65_535 }),
  fates: fc.array(
    fc.record({ lost: fc.boolean(), copies: fc.integer({ min: 1, max: 3 }), delay: fc.nat(2) }),
    { minLength: 1, maxLength: 700 },
  ),
})

test('in any order within the window, packets come out in order, once, and all are counted', () => {
  fc.assert(
    fc.property(network, ({ first, fates }) => {
      const { push, out, counters, window, places } = stage()
      // The first packet comes first, and is never lost: a stream has no earlier position.
      const sent = fates
        .map((fate, place) => ({ ...fate, place, at: place === 0 ? -1 : place + fate.delay }))
        .filter(({ lost, place }) => place === 0 || !lost)
        .sort((a, b) => a.at - b.at || a.place - b.place)
      for (const { place, copies } of sent) for (let n = 0; n < copies; n++) push(place, first)
      window.flush()
      const wanted = sent.map(({ place }) => place).sort((a, b) => a - b)
      const copies = sent.reduce((sum, each) => sum + each.copies, 0)
      // A long run of losses can look like another stream, which restarts without further loss.
      const got = places()
      expect([...got].sort((a, b) => a - b)).toEqual(got)
      expect(new Set(got).size).toBe(got.length)
      expect(got.length + counters.late + counters.duplicate).toBe(copies)
      const outOfTurn = wanted.filter(place => !got.includes(place)).length
      expect(outOfTurn).toBeLessThanOrEqual(counters.late)
      if (counters.restarts === 0) {
        expect(out.reduce((sum, { lost }) => sum + lost, 0)).toBe(counters.lost)
        expect(got.length + counters.lost).toBe(got.at(-1)! + 1)
      }
    }),
    { numRuns: 300, seed: 11 },
  )
})

test('packets moved by less than the window are not lost', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 300 }), swaps => {
      const { push, places, counters } = stage()
      const order = Array.from({ length: swaps.length + 3 }, (_, place) => place)
      for (let at = 1; at + 1 < order.length; at += 2)
        if (swaps[at]) [order[at], order[at + 1]] = [order[at + 1]!, order[at]!]
      for (const place of order) push(place, 65_500)
      expect(places()).toEqual(order.map((_, place) => place))
      expect(counters).toMatchObject({ lost: 0, late: 0, duplicate: 0, restarts: 0 })
    }),
    { numRuns: 200, seed: 12 },
  )
})

test('for any numbers, the output is part of the input, without duplicates, and the counts add up', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(65_535), { maxLength: 400 }), sequences => {
      const { push, out, counters, window } = stage()
      for (const place of sequences) push(place)
      window.flush()
      expect(out.length + counters.late + counters.duplicate).toBe(sequences.length)
      expect(window.holding).toBe(false)
    }),
    { numRuns: 300, seed: 13 },
  )
})
