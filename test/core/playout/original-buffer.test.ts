import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OriginalBuffer } from '../../../src/core/playout/listener-voice.ts'
import { concat, FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { steepest } from '../../support/relay/live-leg.ts'
import { sine } from '../../support/transcode/tone.ts'

/** A buffer whose frames carry numbers. */
function laneOf() {
  let dropped = 0
  let written = 0
  const lane = new OriginalBuffer(() => dropped++)
  const frame = new Int16Array(FRAME_SAMPLES)
  const write = (count: number, quiet = false) => {
    for (let n = 0; n < count; n++) lane.write(frame.fill(written++), quiet)
  }
  /** Reads up to `count` frames; returns their numbers. */
  const take = (count: number, prime = 3) => {
    const taken: number[] = []
    for (let n = 0; n < count; n++) {
      const next = lane.next(prime)
      if (!next) break
      // Except for the 5 ms after a seam.
      expect(new Set(next.subarray(80)).size).toBe(1)
      taken.push(next[319]!)
    }
    return taken
  }
  return { lane, write, take, dropped: () => dropped, written: () => written }
}

describe('the buffer of an original voice', () => {
  test('fills, then drains to the last frame, then fills again', () => {
    const { lane, write, take } = laneOf()
    write(2)
    expect(lane.ready(3)).toBe(0)
    expect(take(1)).toEqual([])
    write(1)
    expect(lane.ready(3)).toBe(3)
    expect(take(9)).toEqual([0, 1, 2])
    write(1)
    expect(take(1)).toEqual([])
    write(2)
    expect(take(9)).toEqual([3, 4, 5])
  })

  test('copies its input', () => {
    const { lane, take } = laneOf()
    const frame = new Int16Array(FRAME_SAMPLES).fill(5)
    for (let n = 0; n < 3; n++) lane.write(frame, false)
    frame.fill(9)
    expect(take(9)).toEqual([5, 5, 5])
  })

  test('never delays by more than 400 ms: drops and counts the oldest frames', () => {
    const { lane, write, take, dropped } = laneOf()
    write(50)
    expect(lane.length).toBe(20)
    expect(dropped()).toBe(30)
    expect(take(1)).toEqual([30])
  })

  test('reduces its delay in pauses, without losing a loud frame', () => {
    const { write, take, dropped } = laneOf()
    write(2)
    write(10, true)
    write(2)
    expect(take(2)).toEqual([0, 1])
    // Of ten quiet frames, all unnecessary ones are dropped.
    expect(take(9)).toEqual([11, 12, 13])
    expect(dropped()).toBe(9)
  })

  test('does not click where frames are dropped', () => {
    const lane = new OriginalBuffer()
    const pcm = sine(70, 1_000)
    for (let at = 0; at < 3_200; at += FRAME_SAMPLES) lane.write(pcm.subarray(at, at + FRAME_SAMPLES), true)
    const heard: Int16Array[] = []
    const hear = () => {
      const frame = lane.next(3)
      if (frame) heard.push(frame.slice())
    }
    hear()
    for (let at = 3_200; at < 12_800; at += FRAME_SAMPLES) {
      lane.write(pcm.subarray(at, at + FRAME_SAMPLES), false)
      hear()
    }
    // Then enough frames arrive at once that the oldest are dropped.
    for (let at = 0; at < 10_000; at += FRAME_SAMPLES) lane.write(pcm.subarray(at, at + FRAME_SAMPLES), false)
    while (lane.length > 3) hear()
    // The tone itself rises by 220 per sample; a seam can span its whole range in 5 ms.
    expect(steepest(concat(heard))).toBeLessThan(220 + 16_000 / 80 + 40)
  })

  test('is empty after clear, and fills again', () => {
    const { lane, write, take } = laneOf()
    write(5)
    take(1)
    lane.clear()
    expect(lane.length).toBe(0)
    write(2)
    expect(take(1)).toEqual([])
  })

  test('for any input, frames keep their order, and each is read, queued or counted as dropped', () => {
    const step = fc.record({
      write: fc.integer({ min: 0, max: 6 }),
      quiet: fc.boolean(),
      take: fc.integer({ min: 0, max: 6 }),
      prime: fc.integer({ min: 1, max: 8 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), steps => {
        const { lane, write, take, dropped, written } = laneOf()
        const taken: number[] = []
        for (const { write: count, quiet, take: most, prime } of steps) {
          write(count, quiet)
          taken.push(...take(most, prime))
        }
        expect(taken).toEqual([...new Set(taken)].sort((a, b) => a - b))
        expect(taken.length + lane.length + dropped()).toBe(written())
      }),
    )
  })
})
