import { describe, expect, test } from 'vitest'
import { loudness } from '../../../src/transcode/level.ts'
import { concat } from '../../../src/transcode/pcm.ts'
import { asItIs, setUp, silences, speech } from '../../support/relay/queue-player.ts'
import { recording, steepest } from '../../support/transcode/speech-signal.ts'
import { quiet, sine } from '../../support/transcode/tone.ts'

describe('a queue without delay', () => {
  test('passes every frame unchanged, and reports the outcome of each utterance', () => {
    const { lane, seen, play } = setUp()
    const [one, two] = [sine(500, 3_010), recording(2)]
    lane.enqueue(speech('1', one))
    expect(play()).toEqual(asItIs(one))
    lane.enqueue(speech('2', two))
    expect(play()).toEqual(asItIs(two))
    expect(seen).toEqual(['begun 1', 'finished 1', 'begun 2', 'finished 2'])
    expect([lane.lagMs, lane.backlogMs, lane.factor, lane.trimming]).toEqual([0, 0, 1, false])
    expect([lane.pausesTrimmedMs, lane.timeCompressedMs]).toEqual([0, 0])
  })

  test('a long utterance alone is not late, so it is not sped up', () => {
    const { lane, play } = setUp()
    const long = sine(500, 30_000)
    lane.enqueue(speech('1', long))
    expect(lane.lagMs).toBe(0)
    expect(play()).toEqual(asItIs(long))
  })
})

describe('a voice in parts', () => {
  test('is not late for a part that had not arrived, and reports the start of each part', () => {
    let now = 10_000
    const { lane, seen, play } = setUp({ now: () => now })
    const grows = speech('1', sine(500, 1_000), false)
    const parts = [{ atMs: 0, saidAt: 8_000 }]
    lane.enqueue({ ...grows, parts })
    const playFor = (ms: number) => {
      for (const end = now + ms; now < end; now += 20) play(20)
    }
    playFor(4_000)
    parts.push({ atMs: 1_000, saidAt: 11_500 })
    grows.audio.append(sine(500, 3_000))
    grows.audio.finish()
    playFor(200)
    expect(lane.lagMs).toBeLessThan(40)
    playFor(5_000)
    expect(seen).toEqual(['begun 1', 'part 1 said at 8000', 'part 1 said at 11500', 'finished 1'])
    expect(lane.timeCompressedMs).toBe(0)
  })
})

describe('a delayed queue', () => {
  const tones = [600, 800, 1_000, 1_300]
  const four = () => tones.map((hz, n) => speech(String(n), sine(hz, 5_000)))

  test('knows its delay: the expected wait of the newest utterance', () => {
    const { lane, play } = setUp()
    for (const each of four().slice(0, 3)) lane.enqueue(each)
    expect(lane.lagMs).toBeCloseTo(10_000, -1)
    expect(lane.backlogMs).toBeCloseTo(15_000, -1)
    play(1_000)
    // Part of it was saved already, and more will be.
    expect(lane.factor).toBe(1.25)
    expect(lane.lagMs).toBeGreaterThan(7_000)
    expect(lane.lagMs).toBeLessThan(8_600)
  })

  test.each([
    ['stays fast to the end of a voice that is complete', true, 1.25],
    ['returns to the normal rate before a voice runs out that is still arriving', false, 1],
  ])('%s', (_, complete, factor) => {
    const { lane, play } = setUp()
    for (const each of four()) lane.enqueue(each)
    lane.enqueue(speech('last', sine(500, 5_000), complete))
    play(19_000)
    while (lane.backlogMs > 200) play(20)
    expect(lane.factor).toBe(factor)
  })

  test('measures the delay by the clock after an external stall', () => {
    let now = 1_723.456
    const { lane, play } = setUp({ now: () => now })
    lane.enqueue(speech('1', sine(500, 4_000)))
    now += 3_000
    expect(lane.lagMs).toBe(3_000)
    play(2_000)
    now += 2_000
    expect(lane.factor).toBeGreaterThan(1.1)
    expect(lane.lagMs).toBeLessThan(2_800)
  })

  test('plays everything, in order, at its original pitch, up to a quarter faster, without a click', () => {
    const { lane, seen, play } = setUp()
    for (const each of four()) lane.enqueue(each)
    const heard = play()
    const ms = heard.length / 16
    expect(ms).toBeLessThan(20_000 / 1.18)
    expect(ms).toBeGreaterThan(20_000 / 1.25)
    expect(ms).toBeCloseTo(20_000 - lane.timeCompressedMs - lane.pausesTrimmedMs, -2)
    let from = 0
    for (const hz of tones) {
      let end = from
      while (end + 640 <= heard.length && loudness(heard.subarray(end, end + 640), hz, 16_000) > 4_000)
        end += 320
      expect((end - from) / 16).toBeGreaterThan(5_000 / 1.25 - 60)
      from = end + 320
    }
    expect(steepest(heard)).toBeLessThan(steepest(sine(1_300, 1_000)) * 1.1)
    expect(seen.filter(event => event.startsWith('begun'))).toEqual(tones.map((_, n) => `begun ${n}`))
    expect(seen.filter(event => event.startsWith('finished'))).toEqual(tones.map((_, n) => `finished ${n}`))
    for (const [n] of tones.entries())
      expect(seen.indexOf(`begun ${n}`)).toBeLessThan(seen.indexOf(`finished ${n}`))
  })

  test('does not click between utterances', () => {
    const { lane, play } = setUp()
    const parts = [recording(1), recording(2), recording(5)].map(pcm =>
      pcm.subarray(3_000, pcm.length - 5_000),
    )
    for (const [n, pcm] of parts.entries()) lane.enqueue(speech(String(n), pcm))
    const heard = play()
    expect(steepest(heard)).toBeLessThanOrEqual(steepest(concat(parts)) * 1.05)
    expect(heard.length).toBeLessThan(concat(parts).length / 1.12)
  })

  test('shortens long pauses, within and between utterances, and keeps the speech', () => {
    const { lane, play } = setUp()
    const said = concat([sine(500, 1_000), quiet(600), sine(700, 1_000), quiet(500)])
    for (const id of ['1', '2', '3']) lane.enqueue(speech(id, concat([quiet(400), said])))
    const heard = play()
    const pauses = silences(heard)
    // The first can start before the delay; the last ends the talk.
    for (const ms of pauses.slice(1, -1)) {
      // A quarter less, like all audio, where the speech is faster too.
      expect(ms).toBeGreaterThanOrEqual(120 / 1.25 - 5)
      expect(ms).toBeLessThan(170)
    }
    expect(pauses.length).toBeGreaterThanOrEqual(6)
    expect(lane.pausesTrimmedMs).toBeGreaterThan(2_000)
  })

  test('returns to unchanged frames once it has caught up', () => {
    const { lane, play } = setUp()
    lane.enqueue(speech('1', sine(500, 3_000)))
    lane.enqueue(speech('2', sine(600, 3_000)))
    play()
    const after = recording(5)
    lane.enqueue(speech('3', after))
    expect(play()).toEqual(asItIs(after))
  })

  test('can be configured not to catch up', () => {
    const { lane, play } = setUp({ catchUp: false })
    for (const each of four()) lane.enqueue(each)
    expect(play()).toEqual(concat(tones.map(hz => asItIs(sine(hz, 5_000)))))
  })

  test('does not affect others: each listener of an utterance hears it at their own pace', () => {
    const late = setUp()
    const punctual = setUp()
    late.lane.enqueue(speech('0', sine(500, 6_000)))
    const shared = speech('1', recording(4))
    late.lane.enqueue(shared)
    punctual.lane.enqueue(shared)
    expect(late.play().length).toBeGreaterThan(0)
    expect(punctual.play()).toEqual(asItIs(recording(4)))
  })

  test('lets others create a reader at the start of each utterance, at any read-ahead', () => {
    const { lane, beginnings, play } = setUp()
    // A long pause is searched to its end.
    const pcm = concat([sine(500, 2_000), quiet(900)])
    for (const id of ['1', '2', '3', '4']) lane.enqueue(speech(id, concat([quiet(800), pcm])))
    play()
    expect(beginnings).toHaveLength(4)
  })

  test('drops whole utterances, the oldest unstarted first, above the maximum wait', () => {
    const { lane, seen, play } = setUp({ maxLagMs: 4_000 })
    for (const id of ['1', '2', '3']) lane.enqueue(speech(id, sine(500, 2_000)))
    play(500)
    lane.enqueue(speech('4', sine(500, 2_000)))
    expect(seen).toEqual(['begun 1', 'dropped 2'])
    play()
    expect(seen.filter(event => event.startsWith('finished'))).toEqual([
      'finished 1',
      'finished 3',
      'finished 4',
    ])
  })

  test('is in its initial state after clear during a speed-up', () => {
    const { lane, seen, play } = setUp()
    for (const each of four()) lane.enqueue(each)
    play(3_000)
    lane.clear()
    expect(seen.filter(event => event.startsWith('dropped'))).toHaveLength(4)
    expect([lane.active, lane.backlogMs, lane.lagMs, lane.factor]).toEqual([false, 0, 0, 1])
    lane.enqueue(speech('5', sine(900, 1_000)))
    expect(play()).toEqual(asItIs(sine(900, 1_000)))
  })
})
