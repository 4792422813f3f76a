import fc from 'fast-check'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { lagPlot } from '../../../src/cli/demo/lag-plot.ts'

const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' })

/** The drawn texts, and the corners of every curve. */
function drawn(svg: string) {
  const { text, polyline } = (parser.parse(svg) as { svg: Record<string, unknown> }).svg
  const list = <T>(value: unknown) =>
    (value === undefined ? [] : Array.isArray(value) ? value : [value]) as T[]
  const texts = list<string | { '#text': unknown }>(text).map(each =>
    String(typeof each === 'object' ? each['#text'] : each),
  )
  const curves = list<{ points: string; stroke: string }>(polyline).map(({ points, stroke }) => ({
    stroke,
    points: points
      .split(' ')
      .filter(pair => pair !== '')
      .map(pair => pair.split(',').map(Number) as [number, number]),
  }))
  return { texts, curves }
}

describe('a plot of the lag', () => {
  test('places a point at its time and lag, and returns to 0 where there was nothing', () => {
    const points = [
      { atMs: 0, lagMs: 0 },
      { atMs: 1_000, lagMs: 2_000 },
      { atMs: 2_000, lagMs: 4_000 },
      { atMs: 60_000, lagMs: 4_000 },
    ]
    const { texts, curves } = drawn(lagPlot([{ name: 'heard in es-es', points }]))
    expect(texts).toEqual(expect.arrayContaining(['heard in es-es', 'time, seconds', '0', '60', '4']))
    const [curve] = curves
    const [zero, two, four, down, up, last] = curve!.points
    expect(curve!.points).toHaveLength(6)
    expect(zero![1] - two![1]).toBeCloseTo(two![1] - four![1], 0)
    expect([down![1], up![1]]).toEqual([zero![1], zero![1]])
    expect(last![1]).toBe(four![1])
    expect(last![0] - zero![0]).toBeGreaterThan(800)
    expect((two![0] - zero![0]) * 60).toBeCloseTo(last![0] - zero![0], -1)
  })

  test('is a valid picture for any input', () => {
    const point = fc.record({
      atMs: fc.integer({ min: 0, max: 10_000_000 }),
      lagMs: fc.double({ min: -1_000, max: 200_000, noNaN: true }),
    })
    const series = fc.record({ name: fc.string(), points: fc.array(point, { maxLength: 50 }) })
    fc.assert(
      fc.property(fc.array(series, { maxLength: 6 }), all => {
        const ordered = all.map(({ name, points }) => ({
          name,
          points: points.toSorted((a, b) => a.atMs - b.atMs),
        }))
        const svg = lagPlot(ordered)
        expect(XMLValidator.validate(svg)).toBe(true)
        for (const { points } of drawn(svg).curves)
          for (const [x, y] of points) {
            expect(x).toBeGreaterThanOrEqual(0)
            expect(x).toBeLessThanOrEqual(960)
            expect(y).toBeGreaterThanOrEqual(40)
            expect(y).toBeLessThanOrEqual(400)
          }
      }),
      { numRuns: 25, seed: 4 },
    )
  })
})
