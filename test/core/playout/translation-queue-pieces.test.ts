import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { concat, FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { setUp, silences, speech } from '../../support/relay/queue-player.ts'
import { recording, steepest } from '../../support/transcode/speech-signal.ts'
import { sine } from '../../support/transcode/tone.ts'

describe('a voice that arrives in chunks', () => {
  test('speeds up only with available audio and is never cut within a word', () => {
    const { lane, seen, play } = setUp()
    const slow = speech('2', sine(900, 2_000), false)
    lane.enqueue(speech('1', sine(600, 3_000)))
    lane.enqueue(slow)
    const heard = [play(4_600)]
    // From here on it arrives in real time.
    for (let n = 0; n < 100; n++) {
      slow.audio.append(sine(900, 100))
      heard.push(play(100))
      lane.missed()
    }
    slow.audio.finish()
    heard.push(play())
    const all = concat(heard)
    // 900 Hz has whole periods in 20 ms: the chunks form one tone, and a gap would be a step.
    expect(steepest(all)).toBeLessThan(steepest(sine(900, 1_000)) * 1.1)
    expect(silences(all).filter(ms => ms > 30)).toEqual([])
    expect(all.length / 16).toBeCloseTo(15_000 - lane.timeCompressedMs - lane.pausesTrimmedMs, -2)
    expect(seen.at(-1)).toBe('finished 2')
  })

  test('plays or skips every sample and ends every utterance once, for any arrival times', () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('new' as const),
        ms: fc.integer({ min: 0, max: 2_500 }),
        whole: fc.boolean(),
      }),
      fc.record({ kind: fc.constant('more' as const), ms: fc.integer({ min: 1, max: 900 }) }),
      fc.record({ kind: fc.constant('end' as const) }),
      fc.record({ kind: fc.constant('play' as const), ms: fc.integer({ min: 20, max: 2_000 }) }),
    )
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), steps => {
        const { lane, seen, play } = setUp()
        const source = recording(4)
        let given = 0
        let samples = 0
        let open: ReturnType<typeof speech> | undefined
        let heard = 0
        const some = (ms: number) => {
          const at = given % (source.length - ms * 16)
          given += ms * 16
          return source.subarray(at, at + ms * 16)
        }
        for (const each of steps) {
          if (each.kind === 'new') {
            open?.audio.finish()
            const made = speech(String(samples++), some(each.ms), each.whole)
            open = each.whole ? undefined : made
            lane.enqueue(made)
          } else if (each.kind === 'more') {
            if (open) open.audio.append(some(each.ms))
          } else if (each.kind === 'end') {
            open?.audio.finish()
            open = undefined
          } else heard += play(each.ms).length
        }
        open?.audio.finish()
        heard += play().length
        expect(lane.active).toBe(false)
        const leftOut = (lane.pausesTrimmedMs + lane.timeCompressedMs) * 16
        expect(heard).toBeGreaterThanOrEqual(Math.floor(given - leftOut))
        expect(heard).toBeLessThanOrEqual(given - leftOut + samples * 2 * FRAME_SAMPLES)
        const ends = seen.filter(event => /^(finished|dropped)/.test(event)).map(event => event.split(' ')[1])
        expect(ends).toEqual(Array.from({ length: samples }, (_, n) => String(n)))
      }),
      { numRuns: 150, seed: 4 },
    )
  })
})
