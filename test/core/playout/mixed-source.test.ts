import { expect, test } from 'vitest'
import { MixedSource } from '../../../src/core/playout/mixer.ts'
import { FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'

const level = (value: number) => new Int16Array(FRAME_SAMPLES).fill(value)
/** 5 ms. */
const TAIL = 80

test.each([6_000, -6_000])('a source cut off at %d fades out within 5 ms, inaudibly', value => {
  const edge = new MixedSource()
  edge.mix(new Int16Array(FRAME_SAMPLES), level(value), 1, 1, true)
  expect([edge.gain, edge.hanging, edge.settle(level(0))]).toEqual([1, true, false])
  const out = level(100)
  expect(edge.settle(out)).toBe(true)
  expect(out[0]).toBeCloseTo(100 + (value * (TAIL - 1)) / TAIL, -1)
  for (let n = 1; n < TAIL; n++)
    expect(Math.abs(out[n]! - out[n - 1]!)).toBeLessThanOrEqual(Math.abs(value) / TAIL + 1)
  expect([...out.subarray(TAIL - 1)].every(sample => sample === 100)).toBe(true)
  expect([edge.gain, edge.hanging, edge.settle(out)]).toEqual([0, false, false])
})

test.each([
  [32, false],
  [33, true],
  [-32, false],
  [-33, true],
])('needs a fade-out after a step of %d: %s', (value, hanging) => {
  const edge = new MixedSource()
  edge.mix(new Int16Array(FRAME_SAMPLES), level(value), 1, 1, true)
  expect(edge.hanging).toBe(hanging)
  edge.settle(level(0))
  expect(edge.settle(level(0))).toBe(hanging)
})

test('the first source mixed replaces the buffer, later ones are added', () => {
  const edge = new MixedSource()
  const out = level(500)
  edge.mix(out, level(1_000), 1, 1, true)
  expect(out).toEqual(level(1_000))
  edge.mix(out, level(1_000), 1, 1, false)
  expect(out).toEqual(level(2_000))
  const soft = level(500)
  edge.mix(soft, level(1_000), 0.5, 0.5, true)
  expect(soft).toEqual(level(500))
  // Its gain changes linearly, also from or to full level.
  for (const [from, to] of [
    [1, 0.5],
    [0.5, 1],
  ] as const) {
    edge.mix(soft, level(1_000), from, to, true)
    expect(soft[0]! > soft.at(-1)!).toBe(from > to)
  }
})

test('a fade-out starts at the audible level, and a reset source at silence', () => {
  const edge = new MixedSource()
  edge.mix(level(0), level(1_000), 0.5, 0.5, true)
  edge.settle(level(0))
  const out = level(0)
  edge.settle(out)
  expect(out[0]).toBeCloseTo(494, -1)
  edge.mix(level(0), level(1_000), 1, 1, true)
  edge.reset()
  expect([edge.gain, edge.hanging, edge.settle(level(0))]).toEqual([0, false, false])
})
