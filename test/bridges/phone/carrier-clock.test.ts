import { describe, expect, test } from 'vitest'
import { randomFrom } from '../../../simulator/random.ts'
import { decodeMulaw } from '../../../src/transcode/g711.ts'
import {
  answered,
  CLOCK_DIALECTS,
  callWithDrift,
  FRAME_MS,
  NO_LOSS,
} from '../../support/phone/carrier-clock-harness.ts'

/** Without a correction, 15 minutes shift the audio by 180 ms. */
const HOURS = 0.25

describe.each(CLOCK_DIALECTS)('a leg of $name', dialect => {
  test.each([200, -200])('whose clock differs by %i ppm has no gap and a steady delay', ppm => {
    const { messages, counters, spreadMs } = callWithDrift(dialect, ppm, HOURS)
    expect(counters).toMatchObject({ ...NO_LOSS, mediaIn: messages })
    // Both include the jitter of arrivals and a frame that is not complete.
    expect(spreadMs.heard).toBeLessThan(40)
    expect(spreadMs.queued).toBeLessThan(40)
  })
})

const UNORDERED = CLOCK_DIALECTS.filter(({ media }) => media.order === 'any')

test('only Telnyx delivers media in any order', () => {
  expect(UNORDERED.map(({ name }) => name)).toEqual(['telnyx'])
})

describe.each(UNORDERED)('a leg of $name, whose media arrives in any order', dialect => {
  const MESSAGES = 5_000
  /** One level for each message of a period: µ-law that is not silent. */
  const LEVELS = 50

  function level(index: number): number {
    return 0x80 + (index % LEVELS)
  }

  test.each([20, 60, 100])('up to %i ms late loses nothing and keeps the order', lateMs => {
    const heard: number[] = []
    const hooks = { sent: () => {}, heard: (frame: Int16Array) => void heard.push(frame[160]!) }
    const { time, leg, counters, hear } = answered(dialect, hooks)
    const random = randomFrom(lateMs)
    const startedAt = time.now
    const arrivals = Array.from({ length: MESSAGES + 1 }, (_, index) => ({
      index,
      at: startedAt + (index + 1) * FRAME_MS + random() * lateMs,
    })).sort((one, other) => one.at - other.at)
    for (const { index, at } of arrivals) {
      time.now = at
      hear(dialect.message(index, Buffer.alloc(160, level(index))))
    }
    time.now += lateMs + FRAME_MS
    leg.watch(time.now)
    // The last message completes the frame before it, if the correction of the clock took a sample.
    expect(counters).toMatchObject({ ...NO_LOSS, late: 0, mediaIn: MESSAGES + 1 })
    if (lateMs > FRAME_MS) expect(counters.reordered).toBeGreaterThan(MESSAGES / 10)
    const pcm = new Int16Array(1)
    const wrong = heard.slice(0, MESSAGES).filter((sample, index) => {
      decodeMulaw(Buffer.of(level(index)), pcm)
      return Math.abs(sample - pcm[0]!) > Math.abs(pcm[0]!) / 10
    })
    expect([heard.length >= MESSAGES, wrong.length]).toEqual([true, 0])
  })
})
