import { describe, expect, test } from 'vitest'
import { randomFrom } from '../../../../simulator/random.ts'
import { ClockDrift, SampleCorrector } from '../../../../src/bridges/phone/leg/clock-drift.ts'

const HOUR_MS = 3_600_000
const FRAME_MS = 20
const FRAME = 320
const JITTER_MS = 40

/** Calls `each` for every 20 ms of the carrier’s clock, with the time of ours at which its audio arrives. */
function carrier(
  ppm: number,
  lastsMs: number,
  each: (sentMs: number, dueAt: number, now: number) => void,
): void {
  const random = randomFrom(1)
  for (let sentMs = FRAME_MS; sentMs <= lastsMs; sentMs += FRAME_MS) {
    const dueAt = 5_000 + sentMs / (1 + ppm * 1e-6)
    each(sentMs, dueAt, dueAt + random() * JITTER_MS)
  }
}

describe('the measured drift', () => {
  test('does not count a change of route, and continues after it', () => {
    const drift = new ClockDrift()
    let at = 0
    carrier(100, HOUR_MS, (sentMs, _dueAt, now) => {
      at = sentMs
      drift.observe(sentMs, now + (sentMs > HOUR_MS / 2 ? 80 : 0))
    })
    expect(at).toBe(HOUR_MS)
    // 100 ppm of an hour are 360 ms.
    expect(drift.offsetMs).toBeGreaterThan(-365)
    expect(drift.offsetMs).toBeLessThan(-350)
  })

  test('of an exact clock corrects nothing, however busy this machine is', () => {
    const drift = new ClockDrift()
    const random = randomFrom(2)
    let [busyMs, corrected] = [0, 0]
    for (let sentMs = FRAME_MS; sentMs <= HOUR_MS; sentMs += FRAME_MS) {
      // The load changes every 4 s: even the shortest delay is up to 4 ms.
      if (sentMs % 4_000 === 0) busyMs = 4 * random()
      drift.observe(sentMs, 5_000 + sentMs + busyMs + random() * JITTER_MS)
      corrected = Math.max(corrected, Math.abs(drift.correctionMs), Math.abs(drift.rate))
    }
    expect(corrected).toBe(0)
  })

  test('does not count a pause of the media', () => {
    const drift = new ClockDrift()
    carrier(0, HOUR_MS / 4, (sentMs, _dueAt, now) =>
      drift.observe(sentMs, now + (sentMs > 300_000 ? 20_000 : 0)),
    )
    expect(Math.abs(drift.offsetMs)).toBeLessThan(2)
    expect(Math.abs(drift.rate)).toBeLessThan(1e-5)
  })
})

describe('a correction', () => {
  const ramp = Int16Array.from({ length: FRAME }, (_, at) => at * 10)

  test.each([1, -1])('of %i sample keeps the shape and the ends of the audio', change => {
    const out = new SampleCorrector().correct(ramp, change)
    expect(out).toHaveLength(FRAME + change)
    expect([out[0], out.at(-1)]).toEqual([0, (FRAME - 1) * 10])
    for (let at = 1; at < out.length; at++) expect(Math.abs(out[at]! - out[at - 1]! - 10)).toBeLessThan(2)
  })

  test('happens once in 100 ms at most; other audio passes without a copy', () => {
    const corrector = new SampleCorrector()
    const lengths = Array.from({ length: 12 }, () => corrector.correct(ramp, 100).length)
    expect(lengths).toEqual([321, 320, 320, 320, 320, 321, 320, 320, 320, 320, 321, 320])
    expect(new SampleCorrector().correct(ramp, 0.9)).toBe(ramp)
  })

  test('shortens no piece below the shortest that the carrier takes', () => {
    const corrector = new SampleCorrector(FRAME + 1)
    expect(corrector.correct(ramp, -5)).toHaveLength(FRAME)
    expect(corrector.correct(ramp, 5)).toHaveLength(FRAME + 1)
  })
})
