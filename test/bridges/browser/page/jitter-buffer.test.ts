import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JitterBuffer } from '../../../../src/bridges/browser/page/jitter-buffer.ts'
import { sine } from '../../../support/transcode/tone.ts'

const FRAME = 320
const frame = (value: number) => new Int16Array(FRAME).fill(value)

/** Pulls `ms` in steps of 10 ms. */
function pull(buffer: JitterBuffer, ms: number): Int16Array {
  const out = new Int16Array(ms * 16)
  for (let at = 0; at < out.length; at += 160) buffer.pull(out.subarray(at, at + 160))
  return out
}
const sounding = (pcm: Int16Array) => pcm.filter(sample => sample !== 0).length / 16

describe('the jitter buffer', () => {
  it('is silent while empty', () => expect(sounding(pull(new JitterBuffer(), 100))).toBe(0))

  it('starts when the target is buffered, and plays every sample in order', () => {
    const buffer = new JitterBuffer({ startMs: 60 })
    for (let n = 0; n < 2; n++) buffer.push(frame(n + 1), n * FRAME)
    expect(sounding(pull(buffer, 10))).toBe(0)
    buffer.push(frame(3), 2 * FRAME)
    const heard = pull(buffer, 60)
    expect([heard[0], heard[319], heard[320], heard[959]]).toEqual([1, 1, 2, 3])
  })

  it('plays shorter audio after waiting for the target time', () => {
    const buffer = new JitterBuffer({ startMs: 60 })
    buffer.push(frame(5), 0)
    expect(sounding(pull(buffer, 60))).toBe(0)
    expect(sounding(pull(buffer, 40))).toBeGreaterThanOrEqual(20)
  })

  it('reports a mark when all audio before it was pulled, and no flushed mark', () => {
    const heard: number[] = []
    const buffer = new JitterBuffer({ heard: id => heard.push(id) })
    for (let n = 0; n < 4; n++) buffer.push(frame(1), n * FRAME)
    buffer.mark(1)
    buffer.push(frame(1), 4 * FRAME)
    buffer.mark(2)
    pull(buffer, 70)
    expect(heard).toEqual([])
    pull(buffer, 10)
    expect(heard).toEqual([1])
    buffer.flush()
    pull(buffer, 100)
    expect(heard).toEqual([1])
    buffer.mark(3)
    expect(heard).toEqual([1, 3])
  })

  it('fades out without a click when audio ends abruptly', () => {
    const buffer = new JitterBuffer()
    buffer.push(sine(200, 500, 12_000), 0)
    const before = pull(buffer, 100)
    buffer.flush()
    const after = pull(buffer, 50)
    let steepest = 0
    const both = [...before, ...after]
    for (let n = 1; n < both.length; n++) steepest = Math.max(steepest, Math.abs(both[n]! - both[n - 1]!))
    // A tone of 200 Hz at this level changes by up to 943 a sample.
    expect(steepest).toBeLessThan(1_200)
    expect(sounding(after)).toBeLessThanOrEqual(5)
  })

  it('raises the target after an underrun during speech, and lowers it when playback is stable', () => {
    const buffer = new JitterBuffer({ startMs: 40, leastMs: 40 })
    let at = 0
    const send = (frames: number) => {
      for (let n = 0; n < frames; n++, at += FRAME) buffer.push(frame(4_000), at)
    }
    for (let n = 0; n < 5; n++) {
      send(3)
      pull(buffer, 200)
    }
    expect(buffer.underruns).toBe(4)
    expect(buffer.targetMs).toBe(120)
    for (let n = 0; n < 90; n++) {
      at += FRAME
      send(50)
      pull(buffer, 1_200)
    }
    expect(buffer.underruns).toBe(4)
    expect(buffer.targetMs).toBeLessThan(90)
  })

  it('treats a speaker’s pause as a pause, not as an underrun', () => {
    const buffer = new JitterBuffer()
    buffer.push(frame(1), 0)
    pull(buffer, 200)
    buffer.push(frame(1), 10 * FRAME)
    expect(buffer.underruns).toBe(0)
    expect(buffer.targetMs).toBe(60)
  })

  it.each([
    ['faster', 1.002],
    ['slower', 0.998],
  ])('stays close to the speaker for half an hour when the sound card is slightly %s', (_, rate) => {
    const buffer = new JitterBuffer()
    let at = 0
    let pulls = 0
    let most = 0
    // Speech: 4 s of voice, 0.4 s of quiet, repeated without a break in transmission.
    for (let n = 0; n < 90_000; n++, at += FRAME) {
      buffer.push(frame(n % 220 < 200 ? 4_000 : 20), at)
      pulls += 2 * rate
      for (; pulls >= 1; pulls--) buffer.pull(new Int16Array(160))
      most = Math.max(most, buffer.bufferedMs)
    }
    expect(most).toBeLessThan(700)
    if (rate < 1) expect(buffer.skipped / 16).toBeGreaterThan(2_000)
    else expect(buffer.underruns).toBeLessThan(100)
  })

  it('drops the oldest audio on overflow, and reports its marks', () => {
    const heard: number[] = []
    const buffer = new JitterBuffer({ heard: id => heard.push(id) })
    buffer.push(frame(7), 0)
    buffer.mark(1)
    for (let n = 1; n < 500; n++) buffer.push(frame(4_000), n * FRAME)
    expect(buffer.bufferedMs).toBe(4_000)
    expect(buffer.skipped / 16).toBe(6_000)
    expect(heard).toEqual([1])
  })

  it('delivers the requested samples without loss, for any timing', () => {
    const step = fc.oneof(
      fc.record({ push: fc.integer({ min: 1, max: 3 }), pause: fc.boolean() }),
      fc.record({ pull: fc.integer({ min: 1, max: 40 }) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), steps => {
        let heardMarks = 0
        const buffer = new JitterBuffer({ heard: () => heardMarks++ })
        let at = 0
        let sent = 0
        let marks = 0
        let got = 0
        for (const each of steps)
          if ('push' in each) {
            if (each.pause) at += FRAME
            buffer.push(new Int16Array(each.push * FRAME).fill(1_000), at)
            at += each.push * FRAME
            sent += each.push * FRAME
            buffer.mark(++marks)
          } else got += pull(buffer, each.pull * 10).filter(sample => sample === 1_000).length
        got += pull(buffer, 5_000).filter(sample => sample === 1_000).length
        expect(heardMarks).toBe(marks)
        // All except samples that fade in after an underrun.
        expect(got + buffer.skipped).toBeGreaterThanOrEqual(sent - 80 * (buffer.underruns + 20))
        expect(got).toBeLessThanOrEqual(sent)
      }),
      { seed: 7, numRuns: 300 },
    )
  })

  it('rejects invalid bounds', () =>
    expect(() => new JitterBuffer({ startMs: 20, leastMs: 40 })).toThrow('leastMs <= startMs'))
})
