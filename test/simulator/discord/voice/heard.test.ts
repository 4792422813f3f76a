import { expect, it } from 'vitest'
import { Heard } from '../../../../src/simulator/discord/voice/bot-receiver.ts'

const frame = (value: number) => new Int16Array(320).fill(value)
/** Content of each 20 ms: one number if it is constant. */
const parts = (pcm: Int16Array) =>
  Array.from({ length: Math.floor(pcm.length / 320) }, (_, at) => {
    const part = new Set(pcm.subarray(at * 320, at * 320 + 320))
    return part.size === 1 ? [...part][0] : 'mixed'
  })

it('places a stretch at its start, and continues it seamlessly', () => {
  const heard = new Heard(1_000)
  // Up to 200 ms late, which is inaudible after a buffer.
  for (const [at, value] of [
    [1_040, 1],
    [1_255, 2],
    [1_260, 3],
    [1_270, 4],
  ] as const)
    heard.add(frame(value), at)
  expect(parts(heard.until(1_160))).toEqual([0, 0, 1, 2, 3, 4, 0, 0])
})

it('has a gap where nothing arrived, and where something was lost', () => {
  const heard = new Heard(0)
  heard.add(frame(1), 0)
  heard.add(frame(2), 60, 640)
  heard.add(frame(3), 400)
  const pcm = parts(heard.until(440))
  expect(pcm.slice(0, 5)).toEqual([1, 0, 0, 2, 0])
  expect(pcm.slice(19)).toEqual([0, 3, 0])
})

it('starts a new stretch when the one before has ended, however short the pause', () => {
  const heard = new Heard(0)
  heard.add(frame(1), 0)
  heard.add(frame(2), 60)
  heard.add(frame(3), 100, 0, true)
  heard.add(frame(4), 100, 0, true)
  expect(parts(heard.until(0))).toEqual([1, 2, 0, 0, 0, 3, 4])
})

it('queues audio that is faster than real time', () => {
  const heard = new Heard(0)
  for (let value = 1; value <= 5; value++) heard.add(frame(value), 0)
  expect(parts(heard.until(0))).toEqual([1, 2, 3, 4, 5])
})

it('keeps half an hour', () => {
  const heard = new Heard(0)
  heard.add(frame(1), 29 * 60_000)
  heard.add(frame(2), 31 * 60_000)
  expect(heard.until(31 * 60_000).lastIndexOf(1)).toBe(29 * 60 * 16_000 + 319)
  expect(heard.until(31 * 60_000).includes(2)).toBe(false)
})
