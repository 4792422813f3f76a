import { afterEach, describe, expect, test } from 'vitest'
import type { Sound } from '../../../src/core/model/announcer.ts'
import type { RelayEvents } from '../../../src/core/model/events.ts'
import { loudness, peak } from '../../../src/transcode/level.ts'
import { type LiveLeg, steepest } from '../../support/relay/live-leg.ts'
import { rooms } from '../../support/relay/rooms.ts'
import { gainBelow } from '../../support/transcode/loudness-meter.ts'
import { sine } from '../../support/transcode/tone.ts'

let r: Awaited<ReturnType<typeof rooms>>
afterEach(() => r.relay.close())

const level = (pcm: Int16Array, hz: number) => loudness(pcm, hz, 16_000)
const sound = (hz: number, ms: number, more: Partial<Sound> = {}): Sound => ({
  name: `tone ${hz}`,
  pcm: sine(hz, ms, 6_000),
  ...more,
})
/** First and last time at which `hz` is audible (ms since the leg joined). */
function span(leg: LiveLeg, hz: number, from = 0): [number, number] {
  const at: number[] = []
  for (let t = from; t < leg.age; t += 20) if (level(leg.between(t, t + 20), hz) > 1_500) at.push(t)
  return [at[0] ?? Number.NaN, (at.at(-1) ?? Number.NaN) + 20]
}

async function alone() {
  r = await rooms()
  const notices: RelayEvents['notice'][] = []
  r.relay.observer.on('notice', event => notices.push(event))
  const leg = r.live('anna', { speaks: 'en-us', hears: 'en-us', echo: false })
  await r.run(100)
  return { leg, anna: r.relay.find('anna')!, notices }
}

async function couple() {
  r = await rooms()
  r.live('anna', { speaks: 'en-us', hears: 'en-us' })
  const bob = r.live('bob', { speaks: 'es-es', hears: 'es-es' })
  await r.run(1_000)
  return { bob, b: r.relay.find('bob')! }
}

describe('a participant alone', () => {
  test('hears a complete notice immediately, without a click, and playback is confirmed', async () => {
    const { leg, anna, notices } = await alone()
    const ends: string[] = []
    void anna.announce(sound(300, 990)).ended.then(end => ends.push(end))
    await r.run(900)
    expect(ends).toEqual([])
    await r.run(300)
    expect(ends).toEqual(['heard'])
    expect(span(leg, 300)).toEqual([100, 1_100])
    expect(level(leg.between(200, 1_000), 300)).toBeCloseTo(6_000, -2)
    expect(steepest(leg.between(0, leg.age))).toBeLessThan(900)
    expect(notices).toEqual([
      { room: 'r', participant: 'anna', notice: 'tone 300', stage: 'begun' },
      { room: 'r', participant: 'anna', notice: 'tone 300', stage: 'heard' },
    ])
    expect(leg.lately(100).every(sample => sample === 0)).toBe(true)
  })

  test('hears notices one after the other, each interrupting the ringing tone', async () => {
    const { leg, anna } = await alone()
    const ringing = anna.announce(sound(425, 1_000, { loop: true }))
    await r.run(3_000)
    expect(level(leg.lately(2_800), 425)).toBeCloseTo(6_000, -2)
    anna.announce(sound(300, 500))
    anna.announce(sound(350, 500))
    await r.run(2_000)
    const [first, second] = [span(leg, 300), span(leg, 350)]
    expect(first[0]).toBeLessThanOrEqual(3_400)
    expect(second[0] - first[1]).toBeLessThanOrEqual(40)
    expect(level(leg.between(first[0] + 40, second[1] - 40), 425)).toBeLessThan(20)
    expect(level(leg.lately(500), 425)).toBeCloseTo(6_000, -2)
    ringing.stop()
    await r.run(400)
    expect(peak(leg.lately(150))).toBe(0)
    expect(await ringing.ended).toBe('stopped')
    expect(steepest(leg.between(0, leg.age))).toBeLessThan(1_300)
  })

  test('stops a sound immediately with flush, otherwise after the audio already sent', async () => {
    const { leg, anna } = await alone()
    const [one, two] = [anna.announce(sound(300, 5_000)), anna.announce(sound(350, 5_000))]
    await r.run(1_000)
    one.stop({ flush: true })
    one.stop({ flush: true })
    await r.run(100)
    expect(leg.flushes).toBe(1)
    expect(span(leg, 300)[1]).toBe(1_100)
    expect(level(leg.lately(60), 350)).toBeGreaterThan(5_000)
    two.stop()
    await r.run(500)
    expect(leg.flushes).toBe(1)
    const [, end] = span(leg, 350)
    expect(end).toBeGreaterThanOrEqual(1_340)
    expect(end).toBeLessThanOrEqual(1_420)
    // Only the flush itself can cut hard, at the edge of the peer's buffer.
    expect(steepest(leg.between(1_140, leg.age))).toBeLessThan(900)
  })

  test('ends the announcement as stopped when the participant leaves', async () => {
    const { leg, anna } = await alone()
    const [one, two] = [anna.announce(sound(300, 5_000)), anna.announce(sound(350, 5_000))]
    await r.run(500)
    void leg.close({ kind: 'hangup', by: 'remote' })
    await r.run(40)
    expect(await Promise.all([one.ended, two.ended])).toEqual(['stopped', 'stopped'])
    expect(await anna.announce(sound(300, 100)).ended).toBe('stopped')
  })

  test('does not wait indefinitely for a missing mark', async () => {
    r = await rooms()
    r.join('anna', { speaks: 'en-us', hears: 'es-es' })
    const ends: string[] = []
    void r.relay
      .find('anna')
      ?.announce(sound(300, 500))
      .ended.then(end => ends.push(end))
    await r.run(9_000)
    expect(ends).toEqual([])
    await r.run(3_000)
    expect(ends).toEqual(['stopped'])
  })

  test('rejects sounds beyond the queue limit and reports them', async () => {
    const { leg, anna, notices } = await alone()
    const many = Array.from({ length: 20 }, () => anna.announce(sound(300, 300)))
    const ends = Promise.all(many.map(({ ended }) => ended))
    await r.run(6_000)
    expect((await ends).filter(end => end === 'stopped')).toHaveLength(4)
    expect(notices.filter(({ stage }) => stage === 'stopped')).toHaveLength(4)
    expect(leg.marks).toHaveLength(16)
  })

  test('completes an empty sound immediately', async () => {
    const { anna } = await alone()
    const { ended } = anna.announce({ name: 'nothing', pcm: new Int16Array(0) })
    await r.run(100)
    expect(await ended).toBe('heard')
  })
})

describe('a participant with others', () => {
  test('hears the original ducked under a notice, then restored, without a gap or click', async () => {
    const { bob, b } = await couple()
    b.change({ hears: 'en-us' })
    r.say('anna', sine(200, 6_000, 6_000))
    await r.run(1_000)
    b.announce(sound(300, 1_000))
    await r.run(3_000)
    const [from, to] = span(bob, 300)
    expect(to - from).toBeGreaterThanOrEqual(960)
    expect(to - from).toBeLessThanOrEqual(1_020)
    const under = level(bob.between(from + 100, to - 100), 200)
    expect(under).toBeCloseTo(6_000 * gainBelow(20, 200, 6_000), -2)
    expect(level(bob.lately(500), 200)).toBeGreaterThan(5_900)
    for (let t = 1_200; t < 4_900; t += 20) expect(level(bob.between(t, t + 40), 200)).toBeGreaterThan(400)
    expect(steepest(bob.between(0, bob.age))).toBeLessThan(1_300)
  })

  test('hears a delayed translation completely after the notice', async () => {
    const { bob, b } = await couple()
    b.announce(sound(300, 1_000))
    await r.run(100)
    r.answer('en-us', 'es-es', 400, 1_000)
    await r.run(3_000)
    const notice = span(bob, 300)
    const translation = span(bob, 400)
    expect(translation[0]).toBeGreaterThanOrEqual(notice[1] - 20)
    expect(translation[0] - notice[1]).toBeLessThanOrEqual(60)
    // Slightly faster than spoken, because it is late.
    expect(translation[1] - translation[0]).toBeGreaterThanOrEqual(800)
    expect(r.relay.metrics.starved).toBe(0)
    expect(r.utterances.map(({ stage }) => stage)).toEqual(['begun', 'heard'])
  })

  test('hears a notice after the current sentence, or within it after a timeout, without losing speech', async () => {
    const { bob, b } = await couple()
    r.answer('en-us', 'es-es', 400, 1_000)
    await r.run(500)
    b.announce(sound(300, 500))
    await r.run(1_500)
    expect(span(bob, 300)[0]).toBeGreaterThanOrEqual(span(bob, 400)[1] - 20)
    const start = bob.age
    r.answer('en-us', 'es-es', 400, 6_000, '2')
    await r.run(1_000)
    b.announce(sound(300, 500))
    await r.run(8_000)
    const [from, to] = span(bob, 300, start)
    expect(from - start).toBeGreaterThanOrEqual(2_400)
    expect(from - start).toBeLessThanOrEqual(2_800)
    expect(level(bob.between(from + 40, to - 40), 400)).toBeLessThan(30)
    let heard = 0
    for (let t = start; t < bob.age; t += 20) if (level(bob.between(t, t + 20), 400) > 4_000) heard += 20
    expect(heard).toBeGreaterThanOrEqual(6_000 / 1.25)
    expect(r.relay.metrics.utterancesDropped).toBe(0)
    expect(steepest(bob.between(0, bob.age))).toBeLessThan(2_000)
  })

  test('hears a background sound only during silence', async () => {
    const { bob, b } = await couple()
    b.announce(sound(425, 1_000, { loop: true }))
    await r.run(1_000)
    expect(level(bob.lately(600), 425)).toBeGreaterThan(5_500)
    r.say('anna', sine(200, 1_500, 6_000))
    await r.run(1_500)
    expect(level(bob.lately(900), 425)).toBeLessThan(30)
    expect(level(bob.lately(900), 200)).toBeGreaterThan(1_500)
    await r.run(2_500)
    expect(level(bob.lately(1_000), 425)).toBeGreaterThan(5_500)
    r.answer('en-us', 'es-es', 600, 1_000)
    await r.run(1_200)
    expect(level(bob.lately(800), 425)).toBeLessThan(100)
    expect(steepest(bob.between(0, bob.age))).toBeLessThan(3_000)
  })
})

describe('repeating the last translation', () => {
  test('plays all of it, any number of times, even after the speaker has left', async () => {
    const { bob, b } = await couple()
    expect(b.repeat()).toBe(false)
    r.answer('en-us', 'es-es', 400, 1_000, '1')
    await r.run(1_500)
    r.answer('en-us', 'es-es', 600, 700, '2')
    await r.run(1_500)
    for (const _ of [1, 2]) {
      const from = bob.age
      expect(b.repeat()).toBe(true)
      await r.run(1_200)
      const [begin, end] = span(bob, 600, from)
      expect(begin - from).toBeLessThanOrEqual(200)
      expect(end - begin).toBeGreaterThanOrEqual(660)
      expect(level(bob.between(from, bob.age), 400)).toBeLessThan(30)
      void r.legs.get('anna')?.close({ kind: 'hangup', by: 'remote' })
      await r.run(10_000)
    }
  })

  test('has the same level, sample by sample', async () => {
    const { bob, b } = await couple()
    const stretches: Int16Array[] = []
    const hear = async (play: () => void) => {
      const from = bob.age
      play()
      await r.run(2_000)
      const [begin] = span(bob, 600, from)
      stretches.push(bob.between(begin, begin + 1_000))
    }
    await hear(() => r.answer('en-us', 'es-es', 600, 1_000))
    await hear(() => b.repeat())
    const [once, again] = stretches
    expect(peak(once!)).toBeGreaterThan(5_000)
    // Except for the first and last 5 ms, which are faded as in every sound.
    const inside = (pcm: Int16Array) => pcm.subarray(100, 15_500)
    expect(inside(again!)).toEqual(inside(once!))
  })

  test('plays only the end of a very long translation', async () => {
    const { bob, b } = await couple()
    r.answer('en-us', 'es-es', 400, 30_000)
    await r.run(32_000)
    const from = bob.age
    expect(b.repeat()).toBe(true)
    await r.run(25_000)
    const [begin, end] = span(bob, 400, from)
    expect(end - begin).toBeGreaterThanOrEqual(19_800)
    expect(end - begin).toBeLessThanOrEqual(20_100)
    expect(steepest(bob.between(from, bob.age))).toBeLessThan(2_000)
  })

  test('does not repeat a dropped translation', async () => {
    const { b } = await couple()
    r.answer('en-us', 'es-es', 400, 3_000)
    await r.run(500)
    b.playout.clear()
    expect(b.repeat()).toBe(false)
  })
})
