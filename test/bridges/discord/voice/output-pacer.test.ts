import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { LinkCounters } from '../../../../src/bridges/discord/counters.ts'
import { ChannelOutput, OutputPacer } from '../../../../src/bridges/discord/voice/channel-output.ts'
import type { LanguageId } from '../../../../src/common/language.ts'
import { attached, FakeChannel } from '../../../support/discord/fake-channel.ts'
import { sine } from '../../../support/transcode/tone.ts'

const EN = 'en-us' as LanguageId

describe('a process that stalls', () => {
  /** A clock whose owner is blocked for a while. */
  class StallingClock extends FakeClock {
    stalledUntil = 0
    override at(deadline: number, task: () => void): Disposable {
      return super.at(Math.max(deadline, this.stalledUntil), task)
    }
  }

  function busy(ms: number) {
    const clock = new StallingClock(5_000)
    const since = clock.now()
    const channel = new FakeChannel(clock)
    const counters = new LinkCounters()
    const voice = new ChannelOutput({ id: 'c', player: channel, pacer: new OutputPacer(clock), counters })
    const ear = voice.openLeg(EN)
    attached(ear)
    ear.play(sine(500, 1_000))
    clock.advance(180)
    // The timer armed for 200 ms is late: the previous tick arms it.
    clock.stalledUntil = clock.now() + ms
    clock.advance(2_000)
    return { channel, counters, at: channel.packets.map(({ at }) => at - since) }
  }

  test.each([50, 80])('for %i ms catches up by at most three slots at once, and returns to the grid', ms => {
    const { at, counters } = busy(ms)
    expect(at.length).toBe(56)
    expect(counters.slotsMissed).toBe(0)
    for (const moment of new Set(at))
      expect(at.filter(other => other === moment).length).toBeLessThanOrEqual(3)
    expect(at.at(-1)! % 20).toBeLessThan(0.9)
  })

  test('for 300 ms never sends more than three slots at once', () => {
    const { at, counters } = busy(300)
    expect(at.length).toBe(56)
    expect(counters.slotsMissed).toBeGreaterThan(8)
    for (const moment of new Set(at))
      expect(at.filter(other => other === moment).length).toBeLessThanOrEqual(3)
  })
})

test('many channels share one timer', () => {
  const clock = new FakeClock()
  const pacer = new OutputPacer(clock)
  const channels = Array.from({ length: 10 }, () => {
    const channel = new FakeChannel(clock)
    const voice = new ChannelOutput({ id: 'c', player: channel, pacer, counters: new LinkCounters() })
    const ear = voice.openLeg(EN)
    attached(ear)
    ear.play(sine(500, 200))
    return channel
  })
  clock.advance(60)
  expect(clock.pending).toBe(1)
  for (const channel of channels) expect(channel.packets.length).toBe(3)
})
