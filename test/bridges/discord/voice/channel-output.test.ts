import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { LinkCounters } from '../../../../src/bridges/discord/counters.ts'
import { ChannelOutput, OutputPacer } from '../../../../src/bridges/discord/voice/channel-output.ts'
import type { OutputLeg } from '../../../../src/bridges/discord/voice/output-leg.ts'
import type { LanguageId } from '../../../../src/common/language.ts'
import { loudness, peak, rms } from '../../../../src/transcode/level.ts'
import { attached, FakeChannel } from '../../../support/discord/fake-channel.ts'
import { sine } from '../../../support/transcode/tone.ts'

const EN = 'en-us' as LanguageId
const ES = 'es-es' as LanguageId

function stage() {
  const clock = new FakeClock(5_000)
  const pacer = new OutputPacer(clock)
  const channel = new FakeChannel(clock)
  const counters = new LinkCounters()
  const voice = new ChannelOutput({ id: 'c', player: channel, pacer, counters })
  return { clock, pacer, channel, counters, voice }
}

/** Plays `pcm` as a playout does: 200 ms ahead, then 40 ms at a time. */
function playLive(clock: FakeClock, ear: OutputLeg, pcm: Int16Array): void {
  const lead = Math.min(pcm.length, 3_200)
  ear.play(pcm.subarray(0, lead))
  for (let at = lead; at < pcm.length; at += 640) {
    clock.advance(40)
    ear.play(pcm.subarray(at, Math.min(pcm.length, at + 640)))
  }
  clock.advance(240)
}

/** Never early, and late by at most the clock’s resolution. */
function expectEvery20Ms({ packets }: FakeChannel): void {
  const since = packets[0]!.at
  expect(packets.map(({ at }) => Math.floor((at - since) / 20 + 0.05))).toEqual(packets.map((_, n) => n))
  for (const { at } of packets)
    expect(Math.abs(at - since - Math.round((at - since) / 20) * 20)).toBeLessThan(0.9)
}

describe('one stretch of speech', () => {
  test('is played completely, one packet every 20 ms, then five silence frames, then nothing', () => {
    const { clock, voice, channel, counters, pacer } = stage()
    const ear = voice.openLeg(EN)
    attached(ear)
    playLive(clock, ear, sine(500, 1_000))
    clock.advance(5_000)
    // The encoder’s remainder is sent with one more.
    expect(channel.packets.length).toBe(50 + 1 + 5)
    expect(channel.packets.slice(-5).every(({ silent }) => silent)).toBe(true)
    expect(channel.silences).toBe(5)
    expectEvery20Ms(channel)
    expect(loudness(channel.heard().subarray(1_600, 14_400), 500, 16_000)).toBeGreaterThan(7_500)
    expect(channel.speaking).toEqual([
      { on: true, packets: 0 },
      { on: false, packets: 56 },
    ])
    expect(counters).toMatchObject({ encodedMs: 1_020, slotsMissed: 0, starved: 0, overflowed: 0 })
    expect(pacer.size).toBe(0)
    expect(clock.pending).toBe(0)
  })

  test('is played to its last millisecond', () => {
    const { clock, voice, channel } = stage()
    const ear = voice.openLeg(EN)
    attached(ear)
    ear.play(sine(500, 100))
    clock.advance(1_000)
    // 6.5 ms later than submitted, so 104 samples into the next packet.
    const pcm = channel.heard()
    expect(rms(pcm.subarray(1_600, 1_680))).toBeGreaterThan(3_000)
    expect(rms(pcm.subarray(1_920, 2_240))).toBeLessThan(300)
  })

  test('that resumes within the trailing silence continues immediately', () => {
    const { clock, voice, channel, counters } = stage()
    const ear = voice.openLeg(EN)
    attached(ear)
    ear.play(sine(500, 100))
    clock.advance(160)
    ear.play(sine(500, 100))
    clock.advance(1_000)
    expect(channel.speaking.map(({ on }) => on)).toEqual([true, false])
    expect(channel.packets.slice(-5).every(({ silent }) => silent)).toBe(true)
    expect(counters.starved).toBe(1)
    expectEvery20Ms(channel)
  })
})

describe('marks', () => {
  test('are confirmed when the last frame before them was sent, not earlier', () => {
    const { clock, voice, channel } = stage()
    const ear = voice.openLeg(EN)
    const marks = attached(ear)
    ear.play(sine(500, 100))
    ear.mark('one')
    ear.play(sine(500, 40))
    ear.mark('two')
    expect(marks).toEqual([])
    clock.advance(80)
    expect(channel.packets.length).toBe(4)
    expect(marks).toEqual([])
    clock.advance(20)
    expect(marks).toEqual(['one'])
    clock.advance(40)
    expect(marks).toEqual(['one', 'two'])
  })

  test('without audio before them are confirmed soon, not within the call', () => {
    const { clock, voice } = stage()
    const ear = voice.openLeg(EN)
    const marks = attached(ear)
    ear.mark('one')
    expect(marks).toEqual([])
    clock.advance(20)
    expect(marks).toEqual(['one'])
  })

  test('of flushed audio are never confirmed, and the audio is not played', () => {
    const { clock, voice, channel } = stage()
    const ear = voice.openLeg(EN)
    const marks = attached(ear)
    ear.play(sine(500, 1_000))
    ear.mark('never')
    clock.advance(100)
    ear.flush()
    ear.play(sine(1_500, 100))
    ear.mark('later')
    clock.advance(2_000)
    expect(marks).toEqual(['later'])
    expect(channel.packets.filter(({ pcm }) => loudness(pcm, 500, 16_000) > 4_000).length).toBeLessThan(7)
    expect(channel.packets.filter(({ pcm }) => loudness(pcm, 1_500, 16_000) > 4_000).length).toBe(5)
  })
})

describe('two ears', () => {
  test('at once: the first one plays at full level, the other attenuated until alone', () => {
    const { clock, voice, channel } = stage()
    const [english, spanish] = [voice.openLeg(EN), voice.openLeg(ES)]
    attached(english)
    attached(spanish)
    english.play(sine(500, 1_000))
    clock.advance(400)
    spanish.play(sine(1_500, 1_200))
    clock.advance(2_000)
    const pcm = channel.heard()
    const level = (hz: number, fromMs: number, toMs: number) =>
      loudness(pcm.subarray(fromMs * 16, toMs * 16), hz, 16_000)
    expect(level(500, 100, 380)).toBeGreaterThan(7_500)
    expect(level(500, 440, 980)).toBeGreaterThan(7_500)
    expect(level(1_500, 440, 980)).toBeGreaterThan(2_800)
    expect(level(1_500, 440, 980)).toBeLessThan(3_600)
    expect(level(1_500, 1_120, 1_580)).toBeGreaterThan(7_500)
  })

  test('at full level: the sum does not wrap around', () => {
    const { clock, voice, channel } = stage()
    const ears = [voice.openLeg(EN), voice.openLeg(ES)]
    for (const ear of ears) {
      attached(ear)
      ear.play(sine(500, 500, 32_000))
    }
    clock.advance(2_000)
    const pcm = channel.heard().subarray(1_600, 7_000)
    expect(peak(pcm)).toBeGreaterThan(30_000)
    expect(loudness(pcm, 500, 16_000)).toBeGreaterThan(30_000)
  })

  test('have separate names', () => {
    const { voice } = stage()
    expect(new Set([voice.openLeg(EN).id, voice.openLeg(ES).id, voice.openLeg(EN).id]).size).toBe(3)
  })

  test('end independently', async () => {
    const { clock, voice, channel } = stage()
    const [english, spanish] = [voice.openLeg(EN), voice.openLeg(ES)]
    attached(english)
    attached(spanish)
    english.play(sine(500, 500))
    spanish.play(sine(1_500, 500))
    await english.close({ kind: 'hangup', by: 'local' })
    expect(await english.ended).toEqual({ kind: 'hangup', by: 'local' })
    english.play(sine(500, 500))
    clock.advance(2_000)
    expect(loudness(channel.heard().subarray(1_600, 6_400), 1_500, 16_000)).toBeGreaterThan(7_500)
    expect(loudness(channel.heard().subarray(1_600, 6_400), 500, 16_000)).toBeLessThan(100)
    voice.close()
    expect(await spanish.ended).toEqual({ kind: 'parent-closed' })
    expect(() => voice.openLeg(EN)).toThrow('closed')
  })
})

describe('a channel that cannot receive', () => {
  test('is waited for: no audio is lost, within the bound', () => {
    const { clock, voice, channel, counters } = stage()
    const ear = voice.openLeg(EN)
    const marks = attached(ear)
    ear.play(sine(500, 200))
    clock.advance(100)
    channel.playable = false
    expect(ear.congested).toBe(true)
    ear.mark('one')
    clock.advance(5_000)
    expect(channel.packets.length).toBe(5)
    expect(marks).toEqual([])
    channel.playable = true
    expect(ear.congested).toBe(false)
    clock.advance(1_000)
    expect(channel.packets.filter(({ pcm }) => loudness(pcm, 500, 16_000) > 4_000).length).toBe(10)
    expect(marks).toEqual(['one'])
    channel.playable = false
    ear.play(sine(500, 3_000))
    expect(counters.overflowed).toBe(50)
  })

  test('reports congestion above the playout’s lead', () => {
    const { voice } = stage()
    const ear = voice.openLeg(EN)
    attached(ear)
    ear.play(sine(500, 240))
    expect(ear.congested).toBe(false)
    ear.play(sine(500, 60))
    expect(ear.congested).toBe(true)
  })
})
