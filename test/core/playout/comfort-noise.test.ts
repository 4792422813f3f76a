import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { RelayCounters } from '../../../src/core/model/relay-counters.ts'
import { EchoReference } from '../../../src/core/playout/echo-reference.ts'
import { ListenerVoice } from '../../../src/core/playout/listener-voice.ts'
import { Playout } from '../../../src/core/playout/playout.ts'
import { SpeechAudio } from '../../../src/core/utterance/speech-audio.ts'
import { peak } from '../../../src/transcode/level.ts'
import { LiveLeg } from '../../support/relay/live-leg.ts'
import { sine } from '../../support/transcode/tone.ts'

function setUp() {
  const clock = new FakeClock(1_000)
  const leg = new LiveLeg('bob', clock)
  leg.comfortNoise = true
  const reference = new EchoReference()
  const playout = new Playout(leg, { leadMs: 200, metrics: new RelayCounters(), reference })
  leg.attach({ write() {}, dtmf() {}, marked: name => playout.marked(name) })
  const heardAt: number[] = []
  const voice = new ListenerVoice('anna', {
    loudness: { db: -20, presence: 1 },
    ...{ distanceDb: 20, translationDb: -20, maxLagMs: 20_000 },
    events: {
      begun() {},
      finished: ({ id }) => playout.mark(id, () => heardAt.push(clock.now())),
      dropped() {},
      starved() {},
      skipped() {},
    },
  })
  voice.apply({ session: { unavailable: false } })
  playout.add(voice)
  /** Late ticks, as on a real machine. */
  let turns = 0
  const run = (ms: number) => {
    const until = clock.now() + ms
    while (clock.now() < until) {
      playout.pump(clock.now())
      clock.advance(until - clock.now() <= 20 ? until - clock.now() : 20 + ((++turns * 7) % 5) / 2 - 1)
    }
  }
  const say = (id: string, ms: number) => {
    const audio = new SpeechAudio()
    audio.append(sine(1_000, ms))
    audio.finish()
    voice.translation.enqueue({ id, audio, speechEndedAt: 0 })
    playout.pump(clock.now())
  }
  /** Comfort noise and audio sent so far (ms). */
  const sentMs = () => leg.played.reduce((sum, { length }) => sum + length / 16, 0)
  return { clock, leg, playout, reference, heardAt, run, say, sentMs }
}

test('fills pauses from the start, in real time, and lets an overfull queue of the carrier empty', () => {
  const s = setUp()
  s.run(30_000)
  // Without a tick more than 40 ms ahead.
  expect(s.sentMs()).toBeLessThan(30_000 * 0.995)
  expect(s.sentMs()).toBeGreaterThan(30_000 * 0.94)
  expect(s.leg.played.every(pcm => peak(pcm) === 0 && pcm.length === 640)).toBe(true)
  expect(s.playout.aheadMs(s.clock.now())).toBe(0)
  // It is no echo.
  expect(s.reference.loudUntil).toBe(Number.NEGATIVE_INFINITY)
})

test('never delays audio by more than one message, and marks return when the audio was played', () => {
  const s = setUp()
  for (let n = 0; n < 20; n++) {
    s.run(1_500 + 7 * n)
    const before = s.leg.age
    s.say(String(n), 1_000)
    s.run(1_400)
    const heard = s.leg.between(before, before + 1_300)
    const first = heard.findIndex(sample => Math.abs(sample) > 200) / 16
    expect(first).toBeLessThan(44)
    const last = heard.findLastIndex(sample => Math.abs(sample) > 200) / 16
    expect(last - first).toBeGreaterThan(990)
    expect(last - first).toBeLessThanOrEqual(1_000)
    expect(s.heardAt).toHaveLength(n + 1)
    expect(Math.abs(s.heardAt[n]! - 1_000 - before - last)).toBeLessThan(8)
  }
})

test('pauses for 200 ms after other audio, and while the peer does not read or is gone', async () => {
  const s = setUp()
  s.run(500)
  s.say('1', 400)
  s.run(560)
  const sent = s.sentMs()
  s.run(60)
  expect(s.sentMs()).toBe(sent)
  s.run(200)
  expect(s.sentMs()).toBeGreaterThan(sent)
  s.leg.congested = true
  const congested = s.sentMs()
  s.run(500)
  expect(s.sentMs()).toBe(congested)
  s.leg.congested = false
  s.playout.hold(s.clock.now())
  s.run(500)
  expect(s.sentMs()).toBe(congested)
  const next = new LiveLeg('bob-2', s.clock)
  next.comfortNoise = true
  s.playout.moveTo(next, s.clock.now())
  s.run(500)
  expect(next.played.length).toBeGreaterThan(10)
  s.playout.close()
  const closed = next.played.length
  s.run(500)
  expect(next.played).toHaveLength(closed)
})

test('a barge-in drops what was not heard, and the noise continues', () => {
  const s = setUp()
  s.run(500)
  s.say('1', 3_000)
  s.run(600)
  s.playout.interrupt()
  expect(s.leg.flushes).toBe(1)
  const { age } = s.leg
  s.run(400)
  expect(peak(s.leg.between(age, age + 400))).toBe(0)
  // Only noise is queued now: nothing is to be dropped.
  s.playout.interrupt()
  expect(s.leg.flushes).toBe(1)
})
